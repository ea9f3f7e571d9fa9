import { promises as fs } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ElementType, elementType, elementTypes } from "../../../src/core/elements.js";
import { InputError } from "../../../src/core/errors.js";
import { type Item, keyItem, type RecordKey } from "../../../src/core/items/item.js";
import { itemOrder } from "../../../src/core/items/order.js";
import { firstFault } from "../../../src/core/items/summary.js";
import { memorySource, sequential } from "../../../src/core/streams/item_stream.js";
import { openInput } from "../../../src/files/input.js";
import type { ItemInput } from "../../../src/formats/format.js";
import { raw } from "../../../src/formats/raw.js";
import { findDisorder, summarizeItems } from "../../../src/sort/items/check_items.js";
import type { CheckSizes } from "../../../src/sort/items/item_check.js";
import { crew } from "../../../src/threads/crew.js";
import { KernelThreads } from "../../../src/threads/kernel_threads.js";
import { Workplace } from "../../support/command.js";
import { distributions, sortedCopy } from "../../support/keys.js";
import { summarize } from "../../support/summarize.js";

/** Threads take part in whatever there is to do. */
const eager = { threadBytes: 1, sharedBytes: 1, startBytes: 1 };
/** Half of the threads check items: 1, 2, 3 and 4. */
const pools = [1, 4, 6, 8].map((threads) => new KernelThreads(threads, eager));
const [alone, , , four] = pools as [KernelThreads, KernelThreads, KernelThreads, KernelThreads];

beforeAll(async () => {
  const zeros = inputOf(new Uint8Array(100), keyItem(elementType("u8")));
  do await summarizeItems(zeros, { descending: false, threads: four, sizes: smallWindows(1) });
  while (crew.running < 4); // until then, the calling thread does it all
});
afterAll(() => {
  for (const threads of pools) threads.close();
});

/** Sizes in items: a first window of 7, then windows of 23, two of them read ahead. */
const smallWindows = (itemBytes: number): CheckSizes => ({
  ...{ firstBytes: 7 * itemBytes + 1, windowBytes: 24 * itemBytes - 1, windows: 3 },
});
/**
 * A window after the first has several of the kernels' blocks of 2048 keys, and so has each of four threads.
 */
const largeWindows = (itemBytes: number): CheckSizes => ({
  ...smallWindows(itemBytes),
  windowBytes: 20_000 * itemBytes,
});

function inputOf(items: Uint8Array, item: Item, isStream = false): ItemInput {
  const source = memorySource(items);
  const known = isStream ? { itemCount: undefined } : { itemCount: items.length / item.bytes, source };
  const style = { format: "raw", byteOrder: "little" } as const;
  return { name: "items", item, next: sequential(source, items.length), style, ...known };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);

/** Keys in order, all of them different if the type has as many. */
function inOrder(type: ElementType, count: number, descending: boolean) {
  const numbers = Array.from({ length: count }, (_, i) => i - (count >> 1));
  const isBig = type.name.endsWith("64") && type.order !== "float";
  return sortedCopy(new type.array((isBig ? numbers.map(BigInt) : numbers) as never), descending);
}

describe("keys", () => {
  const types = elementTypes.flatMap((type) =>
    (type.name === "u32" ? [1, 2, 3, 4] : [1, 4]).map((count) => ({ type, name: type.name, count })),
  );

  it.each(types)(
    "of type $name are summarized on $count threads as by plain JavaScript",
    async ({ type, count }) => {
      const item = keyItem(type);
      const [threads, turn] = [pools[count - 1]!, count];
      const cases = [
        [smallWindows(type.bytes), [0, 7, 8, 30, 31, 300]],
        [largeWindows(type.bytes), [2049, 20_008, 45_000]],
      ] as const;
      for (const [sizes, counts] of cases) {
        for (const [c, count] of counts.entries()) {
          for (const [d, name] of ["uniform", "few values", "all ones and zeros", "specials"].entries()) {
            if ((c + d + turn) % 2 === 1) continue; // each is for half of the numbers of threads
            const descending = ((c + d) >> 1) % 2 === 1;
            const keys = distributions[name]!(type, count);
            for (const some of [keys, sortedCopy(keys, descending)]) {
              const items = bytesOf(some);
              const found = await summarizeItems(inputOf(items, item), { descending, threads, sizes });
              expect(found, `${count} ${name}`).toEqual(summarize(items, itemOrder(item, descending)));
            }
          }
        }
      }
    },
  );

  // Each type takes half of the places in each direction, and half of the types each place.
  it.each(["u8", "i16", "u32", "f32", "i64", "f64"].map((name, turn) => ({ name, turn })))(
    "of type $name that are exchanged or equal are found wherever they are",
    async ({ name, turn }) => {
      const type = elementType(name);
      const item = keyItem(type);
      const blocks = [2048, 4096, 5000, 6667, 10_000, 15_000].flatMap((at) => [at - 2, at - 1, at]);
      const cases = [
        [smallWindows(type.bytes), 100, Array.from({ length: 99 }, (_, i) => i)],
        [largeWindows(type.bytes), 45_000, [...blocks, ...blocks.map((at) => at + 20_007), 44_998]],
      ] as const;
      for (const [sizes, count, places] of cases) {
        for (const descending of [false, true]) {
          const order = itemOrder(item, descending);
          const keys = inOrder(type, count, descending);
          for (const at of places) {
            if (((at >> 2) + turn) % 2 !== Number(descending)) continue;
            const threads = pools[at % pools.length]!;
            // Each place in each direction is found as equal by two of the types, and as exchanged by one.
            const distinct = ((at >> 3) + turn + Number(descending)) % 3 !== 0;
            const changed = keys.slice();
            changed[at + 1] = keys[at]!;
            if (!distinct) changed[at] = keys[at + 1]!;
            const items = bytesOf(changed);
            const first = firstFault(items, order, distinct);
            const given = { descending, threads, sizes };
            const found = await findDisorder([inputOf(items, item)], distinct, given);
            expect(found?.index, `at ${at}`).toBe(first === undefined ? undefined : first + 1);
            if (!found) continue; // two equal keys were exchanged
            const pair = items.subarray(first! * type.bytes, (first! + 2) * type.bytes);
            expect(Buffer.concat([found.before, found.item]).equals(pair)).toBe(true);
          }
        }
      }
    },
  );
});

const key = fc.oneof(
  fc.record({ offset: fc.nat(8), bytes: fc.integer({ min: 1, max: 21 }) }),
  fc.record({ offset: fc.nat(20), type: fc.constantFrom(...elementTypes) }),
);
const allBytes = Array.from({ length: 256 }, (_, i) => i);

describe("records", () => {
  const noise = (length: number, values: readonly number[], seed: number) =>
    new Uint8Array(length).map((_, i) => values[(Math.imul(i + seed, 0x9e3779b1) >>> 13) % values.length]!);

  it("are summarized as by plain JavaScript, whatever their keys are", async () => {
    const cases = fc.record({
      bytes: fc.constantFrom(29, 32, 37, 100),
      keys: fc.array(key, { minLength: 1, maxLength: 3 }),
      byteOrder: fc.constantFrom("little" as const, "big" as const),
      count: fc.nat(300),
      // Of the last ones, most numbers of a float type are NaNs.
      values: fc.constantFrom<readonly number[]>([0, 1], [0, 1, 2], allBytes, [0xff, 0x7f, 0xf0]),
      seed: fc.nat(1000),
      descending: fc.boolean(),
      threads: fc.constantFrom(...pools),
    });
    await fc.assert(
      fc.asyncProperty(
        cases,
        async ({ bytes, keys, byteOrder, count, values, seed, descending, threads }) => {
          const item: Item = { kind: "record", bytes, keys: keys as RecordKey[], byteOrder };
          const records = noise(count * bytes, values, seed);
          const order = itemOrder(item, descending);
          const sizes = smallWindows(bytes);
          const found = await summarizeItems(inputOf(records, item), { descending, threads, sizes });
          expect(found).toEqual(summarize(records, order));
          for (const distinct of [false, true]) {
            const first = firstFault(records, order, distinct);
            const disorder = await findDisorder([inputOf(records, item)], distinct, {
              descending,
              threads,
              sizes,
            });
            expect(disorder?.index).toBe(first === undefined ? undefined : first + 1);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each([1, 2, 3, 4, 5, 8, 12, 20_000])(
    "of %i bytes have the checksum of plain JavaScript",
    async (bytes) => {
      const item: Item = { kind: "record", bytes, keys: [{ offset: 0, bytes }], byteOrder: "little" };
      for (const count of [1, 3, 4, 5, 23, 24, 50]) {
        const records = noise(count * bytes, allBytes, count);
        const expected = summarize(records, itemOrder(item, false));
        for (const sizes of [smallWindows(bytes), { ...smallWindows(bytes), windowBytes: bytes - 1 }]) {
          const found = await summarizeItems(inputOf(records, item), {
            descending: false,
            threads: four,
            sizes,
          });
          expect(found).toEqual(expected);
        }
      }
    },
  );
});

const u32 = keyItem(elementType("u32"));
const sizes = smallWindows(4);
const rising = new Uint32Array(1000).map((_, i) => i);

/** Counts the bytes that are read, and what is being read. */
function watched(input: ItemInput) {
  const seen = { bytes: 0, reading: 0, most: 0 };
  const read = async (into: Uint8Array<ArrayBuffer>, offset: number) => {
    seen.most = Math.max(seen.most, ++seen.reading);
    await new Promise(setImmediate);
    seen.bytes += into.length;
    seen.reading--;
    await input.source!.read(into, offset);
  };
  return { seen, input: { ...input, source: { read } } };
}

describe("a check", () => {
  it("takes a stream of any length", async () => {
    for (let count = 0; count <= 60; count++) {
      const keys = bytesOf(rising.subarray(0, count));
      const found = await summarizeItems(inputOf(keys, u32, true), {
        descending: true,
        threads: four,
        sizes,
      });
      expect(found).toEqual(summarize(keys, itemOrder(u32, true)));
    }
  });

  it("takes several inputs, and looks at the neighbours in two of them", async () => {
    const parts = [
      rising.subarray(0, 40),
      rising.subarray(40, 40),
      rising.subarray(40, 90),
      rising.subarray(89),
    ];
    const inputs = () => parts.map((keys, i) => inputOf(bytesOf(keys), u32, i % 2 === 0));
    const settings = { descending: false, threads: four, sizes };
    expect(await findDisorder(inputs(), false, settings)).toBeUndefined();
    const all = inputs();
    expect(await findDisorder(all, true, settings)).toMatchObject({ input: all[3], index: 0 });
    const [first, ...others] = inputs();
    expect(await findDisorder([...others, first!], false, settings)).toMatchObject({
      input: first,
      index: 0,
    });
  });

  it("reads ahead, but nothing before the first keys are in order", async () => {
    const settings = { descending: false, threads: four, sizes };
    const whole = watched(inputOf(bytesOf(rising), u32));
    expect(await findDisorder([whole.input], false, settings)).toBeUndefined();
    expect(whole.seen).toEqual({ bytes: 4000, reading: 0, most: 3 });
    for (const [at, most] of [
      [3, 7],
      [7, 7 + 3 * 23],
      [500, 500 + 4 * 23],
    ] as const) {
      const keys = rising.slice();
      keys[at] = 0;
      const { input, seen } = watched(inputOf(bytesOf(keys), u32));
      expect((await findDisorder([input], false, settings))?.index).toBe(at);
      expect(seen.reading).toBe(0);
      expect(seen.bytes).toBeLessThanOrEqual(4 * most);
    }
  });

  it("reports what comes before an error in what was read ahead", async () => {
    const keys = rising.slice();
    keys[20] = 0;
    const failing = (at: number): ItemInput => {
      const input = inputOf(bytesOf(keys), u32);
      const read = async (into: Uint8Array<ArrayBuffer>, offset: number) => {
        if (offset + into.length > at) throw new InputError("the disk is gone");
        await input.source!.read(into, offset);
      };
      return { ...input, source: { read } };
    };
    const settings = { descending: false, threads: four, sizes };
    expect((await findDisorder([failing(4 * 30)], false, settings))?.index).toBe(20);
    await expect(findDisorder([failing(4 * 29)], false, settings)).rejects.toThrow("the disk is gone");
    await expect(summarizeItems(failing(4 * 900), settings)).rejects.toThrow("the disk is gone");
  });

  it.each([1, 4])(
    "on %i threads ends with the signal's reason, and reads nothing any more",
    async (count) => {
      const reason = new Error("stop");
      for (const delay of [0, 1, 2, 5, 9]) {
        const aborter = new AbortController();
        const { input, seen } = watched(inputOf(bytesOf(rising), u32));
        let reads = 0;
        const read: typeof input.source.read = async (into, offset) => {
          if (reads++ === delay) aborter.abort(reason);
          await input.source.read(into, offset);
        };
        const settings = { descending: false, threads: pools[count - 1]!, sizes, signal: aborter.signal };
        await expect(summarizeItems({ ...input, source: { read } }, settings)).rejects.toBe(reason);
        expect(seen.reading).toBe(0);
        expect(reads).toBeLessThan(delay + 4);
      }
    },
  );

  it("of a file that is cut short meanwhile says so", async () => {
    const work = await Workplace.create();
    for (const kept of [0, 27, 4 * 7, 4 * 30, 3999]) {
      await work.write("keys.u32", bytesOf(rising));
      const file = await openInput(work.path("keys.u32"));
      const input = await raw.open(file, {});
      await fs.truncate(work.path("keys.u32"), kept);
      await expect(summarizeItems(input, { descending: false, threads: four, sizes })).rejects.toThrow(
        /keys\.u32 was cut short while it was read: it now ends at byte \d+/,
      );
      await file.close();
    }
    await work.remove();
  });

  it("needs no memory of WebAssembly, and asks for it only once", async () => {
    let asked = 0;
    const makeMemory = () => {
      asked++;
      throw new RangeError("no memory");
    };
    const threads = { count: 1, runner: () => ({ threads: 1, makeMemory, close: () => {} }) };
    const settings = { descending: false, threads: threads as unknown as KernelThreads, sizes };
    const found = await summarizeItems(inputOf(bytesOf(rising), u32), settings);
    expect(found).toEqual(summarize(bytesOf(rising), itemOrder(u32, false)));
    expect(asked).toBe(1);
  });

  it("works with the default sizes, in which a first part precedes whole windows", async () => {
    const keys = new Uint32Array(2_500_000).map((_, i) => i);
    const order = itemOrder(u32, false);
    for (const threads of [alone, four]) {
      const found = await summarizeItems(inputOf(bytesOf(keys), u32), { descending: false, threads });
      expect(found).toEqual(summarize(bytesOf(keys), order));
    }
  });
});
