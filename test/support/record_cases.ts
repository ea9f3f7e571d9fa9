import fc from "fast-check";
import { expect, it } from "vitest";
import { elementType } from "../../src/core/elements.js";
import type { Engine } from "../../src/core/engines/engine.js";
import type { RecordItem, RecordKey } from "../../src/core/items/item.js";
import { memorySource, sequential } from "../../src/core/streams/item_stream.js";
import { HeadSink, UniqueSink } from "../../src/core/streams/sinks.js";
import { sortExternally } from "../../src/sort/items/external_sort.js";
import { RecordSorter } from "../../src/sort/items/record_sorter.js";
import { memoryFile } from "./memory_file.js";

/** Reads the integers of little-endian record keys, without the code under test. */
const integers: Record<string, (record: Buffer, at: number) => number | bigint> = {
  u8: (record, at) => record.readUInt8(at),
  i8: (record, at) => record.readInt8(at),
  u16: (record, at) => record.readUInt16LE(at),
  i32: (record, at) => record.readInt32LE(at),
  u64: (record, at) => record.readBigUInt64LE(at),
};

function compareKeys(a: Buffer, b: Buffer, keys: readonly RecordKey[]): number {
  for (const key of keys) {
    const { offset } = key;
    if ("type" in key) {
      const [x, y] = [a, b].map((record) => integers[key.type.name]!(record, offset)) as [number, number];
      if (x !== y) return x < y ? -1 : 1;
    } else {
      const order = Buffer.compare(
        a.subarray(offset, offset + key.bytes),
        b.subarray(offset, offset + key.bytes),
      );
      if (order !== 0) return order;
    }
  }
  return 0;
}

/** The records in the expected order: by `Buffer.compare`, then by their place in the input. */
export function sortedRecords(records: Uint8Array, item: RecordItem, descending: boolean): Buffer[] {
  const each = Array.from({ length: records.length / item.bytes }, (_, i) =>
    Buffer.from(records.subarray(i * item.bytes, (i + 1) * item.bytes)),
  );
  const order = each.map((record, i) => ({ record, i }));
  order.sort((a, b) => (descending ? -1 : 1) * compareKeys(a.record, b.record, item.keys) || a.i - b.i);
  return order.map(({ record }) => record);
}

export const options = { descending: false, algorithm: "auto", verify: true };

export interface RecordShape {
  readonly bytes: number;
  readonly keys: readonly RecordKey[];
  readonly count: number;
  /** Bytes at the start of every record that are the same in all records, or in those of one cluster. */
  readonly shared: number;
  readonly clusters: number;
  /** Distinct values of the other bytes. */
  readonly values: number;
  readonly seed: number;
}

/** Makes records. Their last 4 bytes are their index, unless the keys take the whole record. */
export function makeRecords({ bytes, keys, count, shared, clusters, values, seed }: RecordShape) {
  const item: RecordItem = { kind: "record", bytes, keys, byteOrder: "little" };
  const records = new Uint8Array(count * bytes);
  let state = seed + 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 10;
  };
  for (let i = 0; i < count; i++) {
    const cluster = random() % clusters;
    for (let j = 0; j < bytes; j++) records[i * bytes + j] = j < shared ? cluster + j : random() % values;
  }
  if (keys.every((key) => key.offset + ("type" in key ? key.type.bytes : key.bytes) <= bytes - 4)) {
    const view = new DataView(records.buffer);
    for (let i = 0; i < count; i++) view.setUint32((i + 1) * bytes - 4, i);
  }
  return { item, records };
}

const shapes = fc.integer({ min: 1, max: 300 }).chain((bytes) => {
  const offset = fc.nat(bytes - 1);
  const part = offset.chain((at) =>
    fc.record({ offset: fc.constant(at), bytes: fc.integer({ min: 1, max: bytes - at }) }),
  );
  const number = fc
    .constantFrom(...Object.keys(integers).map(elementType))
    .filter((type) => type.bytes <= bytes)
    .chain((type) => fc.record({ offset: fc.nat(bytes - type.bytes), type: fc.constant(type) }));
  const whole = fc.constant([{ offset: 0, bytes }]);
  const beforeIndex = fc.constant([{ offset: 0, bytes: Math.max(1, bytes - 4) }]);
  return fc.record({
    bytes: fc.constant(bytes),
    keys: fc.oneof(whole, beforeIndex, fc.array(fc.oneof(part, number), { minLength: 1, maxLength: 4 })),
    count: fc.nat(80),
    shared: fc.constantFrom(0, Math.floor(bytes / 2), Math.max(0, bytes - 6), bytes),
    clusters: fc.constantFrom(1, 2, 5),
    values: fc.constantFrom(1, 2, 256),
    seed: fc.nat(1000),
  });
});

/** Tests that records of any shape are sorted as a plain sort with `Buffer.compare` sorts them. */
export function describeRecords(engine: Engine, numRuns: number): void {
  it("records of any shape are sorted stably: in core, out of core, with -u and with --head", async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.boolean(), fc.nat(20), async (shape, descending, head) => {
        const { item, records } = makeRecords(shape);
        const expected = sortedRecords(records, item, descending);
        const sorter = new RecordSorter(engine, item, { ...options, descending });

        const inCore = memoryFile();
        await sorter.sort(shape.count, memorySource(records), inCore);
        expect(Buffer.concat(expected).equals(inCore.bytes())).toBe(true);

        const distinct = expected.filter(
          (a, i) => i === 0 || compareKeys(expected[i - 1]!, a, item.keys) !== 0,
        );
        const outOfCore = memoryFile();
        await sortExternally(
          { itemCount: shape.count, next: sequential(memorySource(records), records.length) },
          new UniqueSink(sorter.order, new HeadSink(head * item.bytes, outOfCore)),
          { sorter, chunkItems: 9, verify: true, createStore: async () => memoryFile() },
        );
        expect(Buffer.concat(distinct.slice(0, head)).equals(outOfCore.bytes())).toBe(true);
      }),
      { numRuns },
    );
  });

  const bytes = 40;
  const beforeIndex = [{ offset: 0, bytes: 36 }];
  const shape = { bytes, keys: beforeIndex, count: 10_000, shared: 0, clusters: 1, values: 256, seed: 1 };
  it.each<[string, RecordShape, boolean]>([
    ["random keys", shape, false],
    ["one long shared prefix", { ...shape, shared: 34 }, true],
    ["two clusters with prefixes of their own", { ...shape, shared: 30, clusters: 2 }, false],
    ["few values", { ...shape, values: 2, shared: 20 }, true],
    ["equal keys", { ...shape, shared: 36 }, true],
    ["equal keys in two clusters", { ...shape, shared: 36, clusters: 2 }, true],
    [
      "a number of few values, then bytes",
      {
        ...shape,
        values: 3,
        keys: [
          { offset: 1, type: elementType("u8") },
          { offset: 4, bytes: 32 },
        ],
      },
      true,
    ],
  ])("10,000 records are sorted stably: %s", async (_, many, descending) => {
    const { item, records } = makeRecords(many);
    const file = memoryFile();
    const sorter = new RecordSorter(engine, item, { ...options, descending });
    await sorter.sort(many.count, memorySource(records), file);
    expect(Buffer.concat(sortedRecords(records, item, descending)).equals(file.bytes())).toBe(true);
  });
}
