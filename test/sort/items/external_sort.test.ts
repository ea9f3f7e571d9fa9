import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ElementType, elementType, elementTypes, type KeyArray } from "../../../src/core/elements.js";
import { CpuEngine } from "../../../src/core/engines/cpu.js";
import { InputError, VerifyError } from "../../../src/core/errors.js";
import { keyItem } from "../../../src/core/items/item.js";
import type { ByteStore } from "../../../src/core/streams/byte_stream.js";
import { memorySource, sequential } from "../../../src/core/streams/item_stream.js";
import {
  type ExternalReport,
  mergeExternally,
  sortExternally,
} from "../../../src/sort/items/external_sort.js";
import type { ItemSorter } from "../../../src/sort/items/item_sorter.js";
import { KeySorter } from "../../../src/sort/items/key_sorter.js";
import { chunkItemsWithin } from "../../../src/sort/runs/chunk_size.js";
import { difference, distributions } from "../../support/keys.js";

const engine = new CpuEngine();
const sorterOf = (type: ElementType, descending = false) =>
  new KeySorter(engine, keyItem(type), { descending, algorithm: "auto", verify: true });
const bytesOf = (keys: KeyArray) => new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength);

/** A run store in memory, which records what happens to it. */
function memoryStore(fault?: (from: Uint8Array, offset: number) => void) {
  let held = new Uint8Array(0);
  const seen = { closed: 0, created: [] as (number | undefined)[], overlapped: 0 };
  let [reading, sorting, writing] = [0, 0, 0];
  const store: ByteStore = {
    read: async (into, offset) => {
      reading++;
      await new Promise(setImmediate);
      if (sorting + writing > 0) seen.overlapped++;
      into.set(held.subarray(offset, offset + into.length));
      reading--;
    },
    write: async (from, offset) => {
      writing++;
      await new Promise(setImmediate);
      if (reading + sorting > 0) seen.overlapped++;
      fault?.(from, offset);
      if (offset + from.length > held.length) {
        const grown = new Uint8Array(offset + from.length);
        grown.set(held);
        held = grown;
      }
      held.set(from, offset);
      writing--;
    },
    close: async () => {
      seen.closed++;
    },
  };
  const create = async (bytes: number | undefined) => {
    seen.created.push(bytes);
    return store;
  };
  return { create, seen, held: () => held, busy: (change: number) => (sorting += change) };
}

function collector() {
  const pieces: { offset: number; bytes: Uint8Array }[] = [];
  let ended = false;
  return {
    sink: {
      write: async (from: Uint8Array, offset: number) => {
        expect(ended).toBe(false);
        pieces.push({ offset, bytes: from.slice() });
      },
      end: async () => {
        expect(ended).toBe(false);
        ended = true;
      },
    },
    ended: () => ended,
    bytes() {
      let at = 0;
      for (const { offset, bytes } of pieces) {
        expect(offset).toBe(at);
        at += bytes.length;
      }
      return new Uint8Array(Buffer.concat(pieces.map(({ bytes }) => bytes)));
    },
  };
}

async function sort(keys: KeyArray, type: ElementType, chunkItems: number, options = {}) {
  const {
    descending = false,
    known = true,
    sorter = sorterOf(type, descending),
    store = memoryStore(),
  } = options as {
    descending?: boolean;
    known?: boolean;
    sorter?: ItemSorter;
    store?: ReturnType<typeof memoryStore>;
  };
  const { sink, bytes, ended } = collector();
  const itemCount = known ? keys.length : undefined;
  const stream = { itemCount, next: sequential(memorySource(bytesOf(keys)), keys.byteLength) };
  const report = await sortExternally(stream, sink, {
    sorter,
    chunkItems,
    verify: true,
    createStore: store.create,
  });
  expect(ended()).toBe(true);
  return { report, sorted: new type.array(bytes().buffer as ArrayBuffer) as KeyArray, store };
}

describe("a sort out of core", () => {
  for (const type of elementTypes) {
    it.each(Object.entries(distributions))(
      `gives the same result as a sort in core: ${type.name}, %s`,
      async (_, make) => {
        for (const size of [0, 1, 99, 100, 101, 200, 1003]) {
          for (const descending of [false, true]) {
            for (const known of [false, true]) {
              const keys = make(type, size);
              const { sorted, report } = await sort(keys, type, 100, { descending, known });
              const where = `${size} keys, ${descending ? "descending" : "ascending"}`;
              expect(difference(keys, sorted, descending), where).toBeUndefined();
              expect(report).toMatchObject({ keyCount: size, verified: true });
              expect(report.external?.runs).toBe(size <= 100 ? undefined : Math.ceil(size / 100));
            }
          }
        }
      },
    );
  }

  it("is right for any chunk size", async () => {
    const type = elementType("i32");
    const cases = fc.record({
      keys: fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 300 }),
      chunk: fc.integer({ min: 1, max: 80 }),
      known: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ keys, chunk, known }) => {
        const input = Int32Array.from(keys);
        const { sorted } = await sort(input, type, chunk, { known });
        expect(difference(input, sorted, false)).toBeUndefined();
      }),
      { numRuns: 150 },
    );
  });

  const u32 = elementType("u32");
  const many = distributions.uniform!(u32, 1000);

  it("uses no disk for one chunk, and otherwise announces the needed space, if it is known", async () => {
    expect((await sort(many, u32, 1000)).store.seen.created).toEqual([]);
    expect((await sort(many, u32, 1000, { known: false })).store.seen.created).toEqual([]);
    expect((await sort(many, u32, 999)).store.seen.created).toEqual([4000]);
    expect((await sort(many, u32, 999, { known: false })).store.seen.created).toEqual([undefined]);
  });

  it("of unknown length takes longer chunks when there are many, so that the reads grow with the length", async () => {
    const reads = async (count: number) => {
      const keys = distributions.uniform!(u32, count);
      const store = memoryStore();
      let reads = 0;
      const create = async (bytes: number | undefined) => {
        const held = await store.create(bytes);
        const read: ByteStore["read"] = (into, offset) => {
          reads++;
          return held.read(into, offset);
        };
        return { ...held, read };
      };
      const { sorted, report } = await sort(keys, u32, 20, { known: false, store: { ...store, create } });
      expect(difference(keys, sorted, false)).toBeUndefined();
      const { chunkBytes, runs } = report.external!;
      expect(chunkBytes).toBeGreaterThan(20 * 4);
      expect(runs).toBeGreaterThan(64);
      return reads;
    };
    expect(await reads(64_000)).toBeLessThan(6 * (await reads(16_000)));
  });

  it("copies buckets that are in order or have only equal keys, instead of sorting them again", async () => {
    const external = async (keys: KeyArray) =>
      (await sort(keys, u32, 100)).report.external as Required<ExternalReport>["external"];
    expect(await external(many)).toMatchObject({ runs: 10, buckets: 10, copiedBuckets: 0 });
    expect(await external(many.slice().sort())).toMatchObject({ buckets: 10, copiedBuckets: 10 });
    expect(await external(new Uint32Array(1000).fill(7))).toMatchObject({ buckets: 10, copiedBuckets: 10 });
  });

  type SortBuffer = ItemSorter["sortBuffer"];

  /** A sorter of u32 keys in place, with a method of its own for what fits a buffer. */
  const sorterWith = (sortBufferBy: (sortBuffer: SortBuffer) => SortBuffer): ItemSorter => {
    const inner = sorterOf(u32);
    return {
      order: inner.order,
      capacity: inner.capacity,
      memoryPerItemByte: 2,
      hostMemoryPerItemByte: 0,
      inPlace: true,
      selects: false,
      sort: inner.sort.bind(inner),
      sortBuffer: sortBufferBy(inner.sortBuffer.bind(inner)),
    };
  };

  it("reads, sorts and writes at the same time", async () => {
    const store = memoryStore();
    const sorter = sorterWith((sortBuffer) => async (items, sink) => {
      store.busy(1);
      await new Promise((resolve) => setTimeout(resolve, 2));
      const report = await sortBuffer(items, sink);
      store.busy(-1);
      return report;
    });
    await sort(many, u32, 50, { store, sorter });
    expect(store.seen.overlapped).toBeGreaterThan(10);
  });

  it("makes its chunks as large as the memory for all buffers and for the device allows", () => {
    const sorter = sorterWith((sortBuffer) => sortBuffer);
    // Three chunks in buffers, two in the sorter, and half of one for samples and cuts: 22 bytes per u32.
    expect(chunkItemsWithin(1e6, 4, sorter)).toBe(45_454);
    expect(chunkItemsWithin(21, 4, sorter)).toBe(0);
  });

  it.each([
    ["a bit flips on the disk", (held: Uint8Array) => (held[777] = held[777]! ^ 16)],
    ["a run is overwritten by another", (held: Uint8Array) => held.copyWithin(0, 400, 800)],
  ])("throws a VerifyError if %s", async (_, fault) => {
    const store = memoryStore((_from, offset) => {
      if (offset === 3600) setImmediate(() => fault(store.held()));
    });
    const sorting = sort(many, u32, 100, { store });
    await expect(sorting).rejects.toThrow(VerifyError);
    expect(store.seen.closed).toBe(1);
  });

  /** A sorter that sorts some of its buffers wrongly, and sees nothing wrong in them. */
  const erringSorter = (err: (items: Uint8Array, call: number) => void): ItemSorter => {
    let calls = 0;
    return sorterWith((sortBuffer) => async (items, sink, options) => {
      const report = await sortBuffer(items, sink, options);
      err(items, calls++);
      return report;
    });
  };
  const swapItems = (a: number, b: number) => (items: Uint8Array) => {
    const words = new Uint32Array(items.buffer, items.byteOffset, items.length / 4);
    [words[a], words[b]] = [words[b]!, words[a]!];
  };
  const inOrder = many.slice().sort();

  it.each<[string, (items: Uint8Array, call: number) => void, Uint32Array, string]>([
    [
      "two items of a run are swapped, so that a bucket has one of a later bucket",
      (items, call) => call === 2 && swapItems(20, 80)(items),
      many as Uint32Array,
      "the sorted runs are out of order between two buckets",
    ],
    [
      "two items of a run are swapped that becomes a bucket by itself",
      (items, call) => call === 2 && swapItems(20, 21)(items),
      inOrder as Uint32Array,
      "the sorted runs are out of order within a run",
    ],
    [
      "a bucket has an item twice instead of another",
      (items, call) => call === 12 && items.copyWithin(4, 0, 4),
      many as Uint32Array,
      "items were lost or changed: 1000 items",
    ],
    [
      "a run has an item twice instead of another",
      (items, call) => call === 2 && items.copyWithin(4, 0, 4),
      many as Uint32Array,
      "items were lost or changed: 1000 items",
    ],
  ])("throws a VerifyError if %s", async (_, err, keys, message) => {
    const sorting = sort(keys, u32, 100, { sorter: erringSorter(err) });
    await expect(sorting).rejects.toThrow(VerifyError);
    await expect(sorting).rejects.toThrow(message);
  });

  it("throws a VerifyError if runs are out of order in any way, or does not write it", async () => {
    const errors = new Set<string>();
    const order = fc.array(fc.nat(99), { minLength: 2, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(order, fc.nat(8), async (swaps, run) => {
        const shuffle = (items: Uint8Array, call: number) => {
          if (call !== run && call !== run + 1) return;
          for (let i = 1; i < swaps.length; i++) swapItems(swaps[i - 1]!, swaps[i]!)(items);
        };
        const sorting = sort(many, u32, 100, { sorter: erringSorter(shuffle) });
        const error = await sorting.then(
          ({ sorted }) => void expect(difference(many, sorted, false)).toBeUndefined(),
          (failure) => failure,
        );
        if (error === undefined) return;
        expect(error).toBeInstanceOf(VerifyError);
        errors.add(error.message);
      }),
      { numRuns: 200, seed: 3 }, // with which both errors come
    );
    expect([...errors].sort()).toEqual([
      "the sorted runs are out of order between two buckets",
      "the sorted runs are out of order within a run",
    ]);
  });

  it.each([0, 1, 9])("ends if the write of run %d fails, and closes its store", async (run) => {
    const store = memoryStore((_, offset) => {
      if (offset === 400 * run) throw new InputError("disk full");
    });
    await expect(sort(many, u32, 100, { store })).rejects.toThrow("disk full");
    expect(store.seen.closed).toBe(1);
  });

  it("ends if the input, the sorter or the sink fails, and closes its store", async () => {
    const fail = async () => {
      throw new InputError("it failed");
    };
    const stream = (next = sequential(memorySource(bytesOf(many)), many.byteLength)) => ({
      itemCount: 1000,
      next,
    });
    const failingSorter = Object.assign(sorterOf(u32), { sortBuffer: fail });
    const end = () => Promise.reject(new TypeError("a sink must not be ended after a failure"));
    for (const [input, sink, sorter] of [
      [stream(fail), { ...collector().sink, end }, sorterOf(u32)],
      [stream(), { write: fail, end }, sorterOf(u32)],
      [stream(), { ...collector().sink, end }, failingSorter],
    ] as const) {
      const store = memoryStore();
      const sorting = sortExternally(input, sink, {
        sorter,
        chunkItems: 100,
        verify: true,
        createStore: store.create,
      });
      await expect(sorting).rejects.toThrow("it failed");
      expect(store.seen.closed).toBe(1);
    }
  });
});

describe("a merge out of core", () => {
  const type = elementType("f32");
  const merge = async (runs: KeyArray[], chunkItems: number) => {
    const { sink, bytes, ended } = collector();
    const sources = runs.map((run) => ({ source: memorySource(bytesOf(run)), itemCount: run.length }));
    const disorder = (where: string) => new InputError(`not in order ${where}`);
    const createStore = () => Promise.reject(new TypeError("a merge needs no disk"));
    const options = { sorter: sorterOf(type), chunkItems, verify: true, createStore, disorder };
    const report = await mergeExternally(sources, sink, options);
    expect(ended()).toBe(true);
    return { report, merged: new type.array(bytes().buffer as ArrayBuffer) as KeyArray };
  };

  it.each(Object.entries(distributions))(
    "of sorted runs gives the same result as sorting all items: %s",
    async (_, make) => {
      for (const sizes of [[0], [1], [5, 0, 700], [333, 334, 1, 90], [1000, 1000]]) {
        const all = make(
          type,
          sizes.reduce((sum, size) => sum + size, 0),
        );
        let at = 0;
        const runs = sizes.map((size) => {
          at += size;
          return all.slice(at - size, at).sort();
        });
        const { merged, report } = await merge(runs, 100);
        expect(difference(all, merged, false)).toBeUndefined();
        expect(report.keyCount).toBe(all.length);
      }
    },
  );

  it("of runs that are not sorted gives the right result or an InputError", async () => {
    let refused = 0;
    for (let seed = 1; seed < 60; seed++) {
      const runs = [300, 150, 77].map((size, i) =>
        new Float32Array(size).map((_, j) => Math.sin(seed * (i + 1) + (seed % 2 ? j : j * j))),
      );
      const all = Float32Array.from(runs.flatMap((run) => [...run]));
      await merge(runs, 50).then(
        ({ merged }) => expect(difference(all, merged, false)).toBeUndefined(),
        (error) => {
          refused++;
          expect(error).toBeInstanceOf(InputError);
        },
      );
    }
    expect(refused).toBeGreaterThan(0);
  });
});
