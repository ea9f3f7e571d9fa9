import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementType } from "../../../src/core/elements.js";
import { type Item, keyItem } from "../../../src/core/items/item.js";
import { itemOrder } from "../../../src/core/items/order.js";
import { type ItemSource, memorySource } from "../../../src/core/streams/item_stream.js";
import { multiselect } from "../../../src/sort/runs/multiselect.js";
import { RankCuts, sample } from "../../../src/sort/runs/rank_cuts.js";

const item = keyItem(elementType("u32"));
/** Few distinct values, so that many keys are equal. */
const runs = fc.array(fc.array(fc.nat(9), { maxLength: 40 }), { minLength: 1, maxLength: 8 });

/**
 * A share of all items, or more than all. Nearly all doubles from 0 to 1 are so small that they would stand for
 * rank 0.
 */
const someShare = fc.nat(1100).map((n) => n / 1000);

/** The stable merge by an array sort: the run and the place of each item, ordered by key, run and place. */
function merged(lists: readonly number[][], descending: boolean): { run: number; place: number }[] {
  return lists
    .flatMap((list, run) => list.map((key, place) => ({ key, run, place })))
    .sort((a, b) => (descending ? b.key - a.key : a.key - b.key) || a.run - b.run || a.place - b.place);
}

function cutsOf(lists: readonly number[][], rank: number, descending: boolean): number[] {
  const cuts = lists.map(() => 0);
  for (const { run } of merged(lists, descending).slice(0, rank)) cuts[run]!++;
  return cuts;
}

const sortedLists = (lists: number[][], descending: boolean) =>
  lists.map((list) => list.toSorted((a, b) => (descending ? b - a : a - b)));
/** Marsaglia's xorshift: numbers from 0 to below 1. */
function randomFrom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
const lengths = (runs: number, items: number) =>
  fc.array(fc.nat({ max: items }), { minLength: 1, maxLength: runs });
const records: Item = { kind: "record", bytes: 4096, keys: [{ offset: 0, bytes: 4 }], byteOrder: "little" };
const recordsOf = (list: number[]) => {
  const all = Buffer.alloc(list.length * records.bytes);
  list.forEach((key, i) => {
    all.writeUInt32BE(key, i * records.bytes);
  });
  return all;
};
const runOf = (items: Uint8Array, stride: number, of: Item = item) => ({
  source: memorySource(items as Uint8Array<ArrayBuffer>),
  itemCount: items.length / of.bytes,
  samples: sample(items, of.bytes, stride),
});
const bytes = (list: number[]) => new Uint8Array(Uint32Array.from(list).buffer);

describe("a cut of runs at a rank", () => {
  it("has the first items of their stable merge on its left, as many as the rank says", () => {
    fc.assert(
      fc.property(runs, fc.boolean(), someShare, (lists, descending, share) => {
        const sorted = sortedLists(lists, descending);
        const order = itemOrder(item, descending);
        const total = sorted.reduce((sum, { length }) => sum + length, 0);
        const rank = Math.round(share * total);
        const parts = sorted.map((list) => ({ view: order.view(bytes(list)), count: list.length }));
        expect([...multiselect(parts, [rank], order)]).toEqual(cutsOf(sorted, rank, descending));
      }),
      { numRuns: 500 },
    );
  });
});

describe("cuts of runs at many ranks", () => {
  const cases = fc.record({
    lists: fc
      .record({ lengths: lengths(8, 150), values: fc.constantFrom(9, 90, 900), seed: fc.nat() })
      .map(({ lengths, values, seed }) =>
        // Each run has keys of another distribution, so that no place of it is like another.
        lengths.map((length, run) => {
          const random = randomFrom(seed + run);
          return Array.from({ length }, () => Math.floor(values * random() ** (1 + 2 * run)));
        }),
      ),
    shares: fc.array(someShare, { maxLength: 30 }),
    descending: fc.boolean(),
    stride: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 50 })),
    most: fc.constantFrom(1, 100, 2000, 1 << 20),
    /** Between windows of long records, few are read with them. */
    wide: fc.boolean(),
  });

  it.each([false, true])("are those at each rank; before equal items: %s", async (beforeEqual) => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ lists, shares, descending, stride, most, wide }) => {
        const distinct = beforeEqual ? lists.map((list) => [...new Set(list)]) : lists;
        const sorted = sortedLists(distinct, descending);
        const all = merged(sorted, descending);
        const ranks = shares.map((share) => Math.round(share * all.length)).sort((a, b) => a - b);
        const keyAt = (rank: number) => sorted[all[rank]!.run]![all[rank]!.place];
        const wanted = ranks.map((rank) => {
          let first = rank;
          if (beforeEqual && rank < all.length) while (first > 0 && keyAt(first - 1) === keyAt(rank)) first--;
          const before = all.slice(0, first);
          return sorted.map((_, run) => before.filter((one) => one.run === run).length);
        });
        const sortedItem = wide ? records : item;
        const made = sorted.map((list) => runOf(wide ? recordsOf(list) : bytes(list), stride, sortedItem));
        const cuts = new RankCuts(made, stride, itemOrder(sortedItem, descending));
        const found: number[][] = [];
        for await (const cut of cuts.each(ranks, { beforeEqual, bytes: most })) found.push(cut);
        expect(found).toEqual(wanted);
      }),
      { numRuns: 150 },
    );
  });

  it("read nearby windows at once, and none twice, in bounded memory", async () => {
    const [count, stride, parts, most] = [50_000, 20, 500, 40_000];
    const reads: { run: number; from: number; to: number }[] = [];
    const made = [0, 1, 2, 3].map((run) => {
      const whole = runOf(bytes(Array.from({ length: count }, (_, i) => 4 * i + run)), stride);
      const source: ItemSource = {
        read: (into, offset) => {
          reads.push({ run, from: offset / 4, to: (offset + into.length) / 4 });
          return whole.source.read(into, offset);
        },
      };
      return { ...whole, source };
    });
    const cuts = new RankCuts(made, stride, itemOrder(item, false));
    const ranks = Array.from({ length: parts - 1 }, (_, i) => ((i + 1) * 4 * count) / parts);
    let index = 0;
    for await (const cut of cuts.each(ranks, { bytes: most })) {
      expect(cut).toEqual([0, 1, 2, 3].map(() => ranks[index]! / 4));
      index++;
    }
    expect(index).toBe(parts - 1);
    // Four times 200 kB, at most 40 kB at once: at least 20 times, with one read for each run.
    expect(reads.length).toBeLessThanOrEqual(4 * 25);
    expect(reads.length).toBeGreaterThanOrEqual(4 * 20);
    const items = reads.reduce((sum, { from, to }) => sum + to - from, 0);
    expect(items).toBeLessThanOrEqual(1.05 * 4 * count);
    for (const { from, to } of reads) expect(to - from).toBeLessThanOrEqual(most / 4 / 4 + 100);
  });

  it("of runs that are not sorted end, and lie within the runs", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ lists, shares, stride, most, wide }) => {
        // Of records, nothing can be read beyond the end.
        const of = wide ? records : item;
        const made = lists.map((list) => runOf(wide ? recordsOf(list) : bytes(list), stride, of));
        const cuts = new RankCuts(made, stride, itemOrder(of, false));
        const ranks = shares.map((share) => Math.round(share * cuts.itemCount)).sort((a, b) => a - b);
        for await (const cut of cuts.each(ranks, { bytes: most })) {
          cut.forEach((place, run) => {
            expect(place).toBeGreaterThanOrEqual(0);
            expect(place).toBeLessThanOrEqual(lists[run]!.length);
          });
        }
      }),
      { numRuns: 150 },
    );
  });

  it("read only a few strides of the runs per cut", async () => {
    const count = 100_000;
    const stride = 100;
    let read = 0;
    const made = [0, 1, 2, 3].map((run) => {
      const items = bytes(Array.from({ length: count }, (_, i) => 4 * i + run));
      const memory = memorySource(items);
      const source: ItemSource = {
        read: (into, offset) => {
          read += into.length / 4;
          return memory.read(into, offset);
        },
      };
      return { source, itemCount: count, samples: sample(items, 4, stride) };
    });
    const cuts = new RankCuts(made, stride, itemOrder(item, false));
    for (let rank = 0; rank < cuts.itemCount; rank += count) await cuts.at(rank);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThanOrEqual(3 * (2 * 4 + 1) * stride);
  });
});
