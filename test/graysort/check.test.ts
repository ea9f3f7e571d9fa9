import { crc32 } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scanNeighbours } from "../../src/core/items/summary.js";
import { memorySource, sequential } from "../../src/core/streams/item_stream.js";
import type { ItemInput } from "../../src/formats/format.js";
import { summarizeGraysort } from "../../src/graysort/check.js";
import { Gensort } from "../../src/graysort/gensort.js";
import { graysortRecord } from "../../src/graysort/record.js";
import {
  combineValsort,
  emptyValsort,
  graysortOrder,
  type ValsortSummary,
} from "../../src/graysort/valsort.js";
import type { CheckSizes } from "../../src/sort/items/item_check.js";
import { crew } from "../../src/threads/crew.js";
import { KernelThreads } from "../../src/threads/kernel_threads.js";

const eager = { threadBytes: 1, sharedBytes: 1, startBytes: 1 };
const [alone, several] = [1, 6].map((threads) => new KernelThreads(threads, eager)) as [
  KernelThreads,
  KernelThreads,
];
/** A first window of 7 records, then windows of 23, or of 1000: several of the kernel's blocks of 160. */
const small: CheckSizes = { firstBytes: 700, windowBytes: 2300, windows: 3 };
const large: CheckSizes = { ...small, windowBytes: 100_000 };

beforeAll(async () => {
  do await found(new Uint8Array(10_000), { threads: several });
  while (crew.running < 3); // until then, the calling thread does it all
});
afterAll(() => {
  for (const threads of [alone, several]) threads.close();
});

function inputOf(records: Uint8Array): ItemInput {
  const source = memorySource(records);
  const style = { format: "raw", byteOrder: "little" } as const;
  const next = sequential(source, records.length);
  return { name: "records", item: graysortRecord, itemCount: records.length / 100, source, next, style };
}

const found = (records: Uint8Array, { threads = alone, sizes = small } = {}) =>
  summarizeGraysort(inputOf(records), { threads, sizes });

/** By plain JavaScript, with the CRC-32 of zlib. */
function plain(records: Uint8Array): ValsortSummary {
  if (records.length === 0) return emptyValsort;
  let crcSum = 0n;
  for (let at = 0; at < records.length; at += 100) crcSum += BigInt(crc32(records.subarray(at, at + 100)));
  const ends = { first: records.slice(0, 100), last: records.slice(-100) };
  return { count: records.length / 100, ...scanNeighbours(records, graysortOrder), ...ends, crcSum };
}

/** Records of gensort whose keys have few values: they differ in any of their ten bytes, or not at all. */
function recordsWith(keys: readonly (readonly [at: number, value: number])[]): Uint8Array {
  const gensort = new Gensort({ kind: "gensort", skewed: false, pieceRecords: Math.max(1, keys.length) });
  const records = gensort.pieces[0].subarray(0, keys.length * 100);
  gensort.fill(records, 12345);
  for (const [i, [at, value]] of keys.entries()) {
    records.fill(0x7f, i * 100, i * 100 + 10);
    records[i * 100 + at] = value;
  }
  return records.slice();
}
const someKeys = (most: number) =>
  fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom(0, 0x7f, 0x80, 0xff)), {
    maxLength: most,
  });

describe("records of the sort benchmark", () => {
  it("are summarized as by plain JavaScript", async () => {
    const runs = fc.constantFrom(
      { threads: alone },
      { threads: several },
      { threads: several, sizes: large },
    );
    await fc.assert(
      fc.asyncProperty(someKeys(120), runs, async (keys, options) => {
        const records = recordsWith(keys);
        expect(await found(records, options)).toEqual(plain(records));
      }),
      { numRuns: 100 },
    );
  });

  it("are summarized so in windows of more than a block of the kernel, and by default", async () => {
    for (const count of [7, 8, 166, 167, 168, 327, 1007, 1008, 30_000]) {
      const keys = Array.from({ length: count }, (_, i) => [i % 10, (i * 7919) & 0xff] as const);
      const records = recordsWith(keys);
      const expected = plain(records);
      expect(await found(records, { threads: several, sizes: large })).toEqual(expected);
      expect(await summarizeGraysort(inputOf(records), { threads: several })).toEqual(expected);
    }
  });

  it("have summaries that combine to that of the whole, wherever the borders are", async () => {
    await fc.assert(
      fc.asyncProperty(someKeys(60), fc.array(fc.nat(60), { maxLength: 4 }), async (keys, borders) => {
        const records = recordsWith(keys);
        const cuts = [
          0,
          ...borders.map((at) => Math.min(at, keys.length)).sort((a, b) => a - b),
          keys.length,
        ];
        let all = emptyValsort;
        for (const [i, to] of cuts.slice(1).entries()) {
          all = combineValsort(all, await found(records.slice(cuts[i]! * 100, to * 100)));
        }
        expect(all).toEqual(plain(records));
      }),
      { numRuns: 75 },
    );
  });

  it("have the same checksum in any order, and another if one is changed, lost, doubled or replaced", async () => {
    const records = recordsWith(Array.from({ length: 300 }, (_, i) => [i % 10, i & 0xff] as const));
    const sumOf = async (bytes: Uint8Array) => (await found(bytes, { threads: several })).crcSum;
    const sum = await sumOf(records);
    const swapped = Buffer.concat([records.subarray(15_000), records.subarray(0, 15_000)]);
    expect(await sumOf(swapped)).toBe(sum);
    for (let at = 0; at < 300; at += 13) {
      const [from, to] = [at * 100, at * 100 + 100];
      const changed = records.slice();
      changed[from + (at % 100)]! ^= 1 << (at % 8);
      expect(await sumOf(changed)).not.toBe(sum);
      const one = records.subarray(from, to);
      expect(await sumOf(Buffer.concat([records.subarray(0, from), records.subarray(to)]))).not.toBe(sum);
      expect(await sumOf(Buffer.concat([records, one]))).not.toBe(sum);
      const replaced = records.slice();
      replaced.set(one, (at === 0 ? 1 : at - 1) * 100);
      expect(await sumOf(replaced)).not.toBe(sum);
    }
  });
});
