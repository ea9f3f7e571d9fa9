import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementType, elementTypes } from "../../../src/core/elements.js";
import { CpuEngine } from "../../../src/core/engines/cpu.js";
import { VerifyError } from "../../../src/core/errors.js";
import { type Item, keyItem, type RecordKey } from "../../../src/core/items/item.js";
import { itemOrder } from "../../../src/core/items/order.js";
import { memorySource, sequential } from "../../../src/core/streams/item_stream.js";
import { sortExternally } from "../../../src/sort/items/external_sort.js";
import { IndexSink, withIndices } from "../../../src/sort/items/indexed.js";
import { itemSorter } from "../../../src/sort/items/sort_items.js";
import { memoryFile } from "../../support/memory_file.js";

const engine = new CpuEngine();
const sorterOptions = { descending: false, algorithm: "auto", verify: true };

/** Sorts records by comparisons. The sort of an array is stable. */
function oracle(records: Uint8Array, item: Item, descending: boolean): Buffer {
  const order = itemOrder(item, descending);
  const view = order.view(records);
  const indices = Array.from({ length: records.length / item.bytes }, (_, i) => i);
  indices.sort((a, b) => order.compare(view, a, view, b));
  return Buffer.concat(indices.map((i) => records.subarray(i * item.bytes, (i + 1) * item.bytes)));
}

function noise(length: number, values: number, seed: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(length).map((_, i) => (Math.imul(i + seed, 0x9e3779b1) >>> 13) % values);
}

const key = fc.oneof(
  fc.record({ offset: fc.nat(8), bytes: fc.integer({ min: 1, max: 21 }) }),
  fc.record({ offset: fc.nat(20), type: fc.constantFrom(...elementTypes) }),
);

const allBytes = Array.from({ length: 256 }, (_, i) => i);

const cases = fc.record({
  bytes: fc.integer({ min: 29, max: 40 }),
  keys: fc.array(key, { minLength: 1, maxLength: 3 }),
  byteOrder: fc.constantFrom("little" as const, "big" as const),
  count: fc.nat(60),
  // Of the last ones, most numbers of a float type are NaNs.
  values: fc.constantFrom<readonly number[]>([0, 1], [0, 1, 2], allBytes, [0xff, 0x7f, 0xf0]),
  seed: fc.nat(1000),
  descending: fc.boolean(),
});

describe("records", () => {
  it("are moved whole to the places of their keys, stably, in core and out of core", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ bytes, keys, byteOrder, count, values, seed, descending }) => {
        const item: Item = { kind: "record", bytes, keys: keys as RecordKey[], byteOrder };
        const records = noise(count * bytes, values.length, seed).map((byte) => values[byte]!);
        const expected = oracle(records, item, descending);
        const sorter = itemSorter(engine, item, { ...sorterOptions, descending });
        const inCore = memoryFile();
        await sorter.sort(count, memorySource(records), inCore);
        expect(Buffer.compare(inCore.bytes(), expected)).toBe(0);
        const outOfCore = memoryFile();
        const stream = { itemCount: count, next: sequential(memorySource(records), records.length) };
        const createStore = async () => memoryFile();
        await sortExternally(stream, outOfCore, { sorter, chunkItems: 7, verify: true, createStore });
        expect(Buffer.compare(outOfCore.bytes(), expected)).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it("are moved correctly if they take several windows, in whole words or not", async () => {
    for (const bytes of [100, 99]) {
      const item: Item = { kind: "record", bytes, keys: [{ offset: 0, bytes: 10 }], byteOrder: "little" };
      const records = noise(90_000 * bytes, 256, 5);
      const output = memoryFile();
      const report = await itemSorter(engine, item, sorterOptions).sort(
        90_000,
        memorySource(records),
        output,
      );
      expect(Buffer.compare(output.bytes(), oracle(records, item, false))).toBe(0);
      expect(report.phases.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["read", "extract", "move", "write"]),
      );
    }
  });

  it("are checked: an engine that does not sort them causes a VerifyError", async () => {
    const item: Item = {
      kind: "record",
      bytes: 12,
      keys: [{ offset: 0, type: elementType("u32") }],
      byteOrder: "little",
    };
    const records = noise(12 * 1000, 256, 7);
    const lying = Object.assign(new CpuEngine(), {
      argsort: async (...[job, source, sink]: Parameters<CpuEngine["argsort"]>) => {
        const indices = Uint32Array.from({ length: job.keyCount }, (_, i) => i);
        await sink.write(new Uint8Array(indices.buffer), 0);
        return new CpuEngine().argsort(job, source, { write: async () => {}, end: async () => {} });
      },
    });
    await expect(
      itemSorter(lying, item, sorterOptions).sort(1000, memorySource(records), memoryFile()),
    ).rejects.toThrow(VerifyError);
  });
});

describe("indices", () => {
  it("are the places of the sorted keys in the input, in core and out of core", async () => {
    const type = elementType("i32");
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 200 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 300 }),
        async (list, descending, chunkItems) => {
          const keys = new Uint8Array(Int32Array.from(list).buffer);
          const input = withIndices({
            name: "keys",
            item: keyItem(type),
            itemCount: list.length,
            source: memorySource(keys),
            next: sequential(memorySource(keys), keys.length),
            style: { format: "raw", byteOrder: "little" },
          });
          const sorter = itemSorter(engine, input.item, { ...sorterOptions, descending });
          const expected = list
            .map((_, i) => i)
            .sort((a, b) => (descending ? list[b]! - list[a]! : list[a]! - list[b]!));
          const indices = (file: ReturnType<typeof memoryFile>) => [...new Uint32Array(file.bytes().buffer)];
          const inCore = memoryFile();
          await sorter.sort(list.length, input.source!, new IndexSink(input.item.bytes, inCore));
          expect(indices(inCore)).toEqual(expected);
          const outOfCore = memoryFile();
          await sortExternally(input, new IndexSink(input.item.bytes, outOfCore), {
            sorter,
            chunkItems,
            verify: true,
            createStore: async () => memoryFile(),
          });
          expect(indices(outOfCore)).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    );
  });
});
