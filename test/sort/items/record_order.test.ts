import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CpuEngine } from "../../../src/core/engines/cpu.js";
import type { RecordItem } from "../../../src/core/items/item.js";
import { memorySource } from "../../../src/core/streams/item_stream.js";
import { sortFew, sortIndices } from "../../../src/sort/items/record_order.js";
import { RecordSorter } from "../../../src/sort/items/record_sorter.js";
import { memoryFile } from "../../support/memory_file.js";
import {
  describeRecords,
  makeRecords,
  options,
  type RecordShape,
  sortedRecords,
} from "../../support/record_cases.js";

describe("on the CPU", () => describeRecords(new CpuEngine(), 400));

/** Sorts records. @returns the number of keys in each pass of the engine. */
async function passes(item: RecordItem, records: Uint8Array<ArrayBuffer>): Promise<number[]> {
  const counts: number[] = [];
  const engine = Object.assign(new CpuEngine(), {
    argsort: (...args: Parameters<CpuEngine["argsort"]>) => {
      counts.push(args[0].keyCount);
      return new CpuEngine().argsort(...args);
    },
  });
  const count = records.length / item.bytes;
  const file = memoryFile();
  const report = await new RecordSorter(engine, item, options).sort(count, memorySource(records), file);
  expect(report).toMatchObject({ device: "CPU", keyCount: count, verified: true });
  expect(Buffer.concat(sortedRecords(records, item, false)).equals(file.bytes())).toBe(true);
  return counts;
}

const whole = (bytes: number, some: Partial<RecordShape> = {}): RecordShape => ({
  bytes,
  keys: [{ offset: 0, bytes }],
  count: 2000,
  shared: 0,
  clusters: 1,
  values: 256,
  seed: 3,
  ...some,
});

describe("the passes over records depend on what tells them apart, not on the key's length:", () => {
  it.each<[string, RecordShape, number[]]>([
    ["two long records", whole(10_000, { count: 2 }), [2]],
    ["random records", whole(1000), [2000]],
    ["a long shared prefix", whole(1000, { shared: 990 }), [2000]],
    ["equal long records", whole(1000, { shared: 1000 }), []],
    ["clusters with long prefixes of their own", whole(1000, { shared: 990, clusters: 5 }), [2000]],
    ["no records", whole(1000, { count: 0 }), []],
    ["one record", whole(1000, { count: 1 }), []],
  ])("%s", async (_, shape, expected) => {
    const { item, records } = makeRecords(shape);
    expect(await passes(item, records)).toEqual(expected);
  });

  it("records of which each is tied with some others by its first field are sorted by two", async () => {
    const [bytes, count] = [16, 20_000];
    const { item } = makeRecords(whole(bytes, { count: 0 }));
    const { records } = makeRecords(whole(bytes, { count }));
    for (let i = 0; i < count; i++) records.fill(i % 251, i * bytes, i * bytes + 8);
    expect(await passes(item, records)).toEqual([count, count]);
  });

  it("large clusters get a pass each", async () => {
    const { item, records } = makeRecords(whole(100, { shared: 90, clusters: 2, count: 10_000 }));
    const [all, ...clusters] = await passes(item, records);
    expect([all, clusters.length, clusters[0]! + clusters[1]!]).toEqual([10_000, 2, 10_000]);
  });

  it("keys that differ in ever later places get a bounded number of passes", async () => {
    const bytes = 800;
    const count = 20_000;
    const { item } = makeRecords(whole(bytes, { count: 0 }));
    const records = new Uint8Array(count * bytes);
    for (let i = 0; i < count; i++) {
      const length = (Math.imul(i, 0x9e3779b1) >>> 8) % bytes;
      records.fill(1, i * bytes, i * bytes + length);
    }
    expect((await passes(item, records)).length).toBeLessThanOrEqual(16);
  });
});

const never = async () => {};

/** Orders indices by a few values, then by themselves. */
const byValue = (values: number) => (a: number, b: number) => (a % values) - (b % values) || a - b;

it("sorts any number of indices", async () => {
  for (const count of [0, 1, 2, 1023, 1024, 1025, 2048, 5000, 10_240]) {
    const indices = Uint32Array.from({ length: count }, (_, i) => i);
    const expected = [...indices].sort(byValue(7));
    await sortIndices(indices, byValue(7), never);
    expect([...indices]).toEqual(expected);
  }
});

it("sorts a few indices in place, and leaves the others", () => {
  const lists = fc.uniqueArray(fc.nat(100), { maxLength: 20 });
  fc.assert(
    fc.property(lists, fc.nat(20), fc.nat(20), (list, a, b) => {
      const [start, end] = [Math.min(a, b, list.length), Math.min(Math.max(a, b), list.length)];
      const indices = Uint32Array.from(list);
      sortFew(indices, start, end, byValue(5));
      const sorted = list.slice(start, end).sort(byValue(5));
      expect([...indices]).toEqual([...list.slice(0, start), ...sorted, ...list.slice(end)]);
    }),
  );
});

it("pauses every thousand indices or so, and ends when a pause throws", async () => {
  const count = 50_000;
  const indices = Uint32Array.from({ length: count }, (_, i) => count - i);
  let [pauses, compared, longest] = [0, 0, 0];
  const compare = (a: number, b: number) => {
    compared++;
    return a - b;
  };
  const pause = async () => {
    pauses++;
    longest = Math.max(longest, compared);
    compared = 0;
  };
  await sortIndices(indices.slice(), compare, pause);
  expect(longest).toBeLessThan(20_000);
  const reason = new Error("no longer wanted");
  const stopped = sortIndices(indices, compare, async () => {
    if (--pauses === 60) throw reason;
  });
  await expect(stopped).rejects.toBe(reason);
});
