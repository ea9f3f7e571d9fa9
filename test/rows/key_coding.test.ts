import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { parseRowOrder } from "../../src/commands/line_keys.js";
import { codeOf, goesOnAfter, isBetween, learnCoding } from "../../src/rows/key_coding.js";
import { rowKernels } from "../../src/rows/row_kernels.js";
import type { RowOrder } from "../../src/rows/row_order.js";
import { sortRows } from "../../src/rows/sort_rows.js";
import { KernelThreads } from "../../src/threads/kernel_threads.js";
import { memoryFile } from "../support/memory_file.js";
import { sortPlainly } from "../support/plain_rows.js";
import { rowInput } from "../support/row_inputs.js";

const same = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const folded = same.map((byte) => (byte >= 97 && byte <= 122 ? byte - 32 : byte));

/** A key whose first word is that of all others of a sample. */
const sampleKey = (bytes: Uint8Array) => ({ word: 8n, bytes });

/** Keys of few letters, so that many begin alike, and some bytes that are rare. */
const someKey = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(65, 66, 97, 98) }, fc.nat(255)), { maxLength: 12 })
  .map((bytes) => Uint8Array.from(bytes));

describe("a coding", () => {
  it.each([
    ["bytes", same],
    ["letters of either case as one", folded],
  ])("orders keys by %s, whatever the sample was", (_, map) => {
    fc.assert(
      fc.property(
        fc.array(someKey, { minLength: 2, maxLength: 20 }),
        fc.array(someKey, { minLength: 2, maxLength: 20 }),
        fc.option(fc.constantFrom(65, 98), { nil: undefined }),
        (sample, keys, left) => {
          // So many rows that a coding pays; undefined if it tells too few keys of the sample apart.
          const coding = learnCoding(sample.map(sampleKey), 1e9, map, left);
          if (!coding) return;
          const mapped = [...sample, ...keys].map((key) => ({
            key,
            bytes: Buffer.from(key.map((byte) => map[byte]!)),
          }));
          for (const a of mapped) {
            for (const b of mapped) {
              const [codeA, codeB] = [codeOf(coding, a.key), codeOf(coding, b.key)];
              if (codeA < codeB) expect(Buffer.compare(a.bytes, b.bytes)).toBe(-1);
              else if (codeA === codeB && !goesOnAfter(coding, codeA)) expect(a.bytes).toEqual(b.bytes);
              else if (codeA === codeB && !isBetween(codeA)) {
                const { length } = coding.positions;
                expect(a.bytes.subarray(0, length)).toEqual(b.bytes.subarray(0, length));
              }
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("tells keys apart that 64 bits can hold, and leaves room for none that all share", () => {
    const text = (i: number) => Buffer.from(`https://example.org/items/${String(i).padStart(18, "0")}?`);
    const sample = Array.from({ length: 500 }, (_, i) => sampleKey(text(i * 0x1234567)));
    const coding = learnCoding(sample, 1e6, same, undefined)!;
    const codes = sample.map(({ bytes }) => codeOf(coding, bytes));
    expect(new Set(codes).size).toBe(500);
    expect(codes.every((code) => !goesOnAfter(coding, code))).toBe(true);
    expect(isBetween(codeOf(coding, Buffer.from("https://example.com/")))).toBe(true);
  });

  it("is not made where first words tell keys apart, or where it would not", () => {
    const different = Array.from({ length: 100 }, (_, i) => ({
      word: BigInt(256 * i + 8),
      bytes: Buffer.from(`${i}`),
    }));
    expect(learnCoding(different, 1e9, same, undefined)).toBeUndefined();
    const bytes = Buffer.alloc(80, "x");
    expect(learnCoding([sampleKey(bytes), sampleKey(bytes)], 1e9, same, undefined)).toBeUndefined();
  });
});

const tools = new KernelThreads(2, { sharedBytes: 1, startBytes: 1, threadBytes: 1 });
afterAll(() => tools.close());

async function sorted(text: Uint8Array, order: RowOrder, unique: boolean): Promise<string> {
  const runner = tools.runner(rowKernels);
  const parts: Buffer[] = [];
  const job = {
    inputs: [rowInput(text, { name: "text", isStream: false })],
    order,
    header: false,
    unique,
    head: Number.POSITIVE_INFINITY,
    verify: true,
    memoryBytes: 1 << 28,
    createStore: async () => memoryFile(),
  };
  try {
    await sortRows(runner, job, async (bytes) => {
      parts.push(Buffer.from(bytes));
    });
    return Buffer.concat(parts).toString("latin1");
  } finally {
    runner.close();
  }
}

const ROWS = 20_000;
const mixed = (i: number) => Math.imul(i + 1, 0x9e3779b1) >>> 0;

/** Whether a row may be in the sample of so many rows: every ninth one is, from the first on. */
const isSampled = (i: number) => i % 9 === 0;

/** Rows that are alike, and some that no sample shows. */
const rowOf: Record<string, (i: number) => string> = {
  "names with a number": (i) => `customer${mixed(i) % 1000}`,
  "names of which some have other bytes": (i) =>
    isSampled(i) || i % 5 > 0
      ? `customer${mixed(i) % 1000}`
      : `customer${mixed(i) % 10}${"!:~\0"[mixed(i + 1) % 4]}${mixed(i + 2) % 100}`,
  "names of which some end early": (i) =>
    isSampled(i) || i % 5 > 0
      ? `customer${(mixed(i) % 1000) + 1000}`
      : "customer1000".slice(0, mixed(i) % 13),
  "names of which some begin otherwise": (i) =>
    isSampled(i) || i % 5 > 0 ? `customer${mixed(i) % 1000}` : `${"bdcC"[mixed(i) % 4]}${mixed(i) % 50}`,
  times: (i) => new Date(1.6e12 + (mixed(i) % 1e9) * 1000).toISOString(),
  "long keys that differ late": (i) =>
    `${"/a/long/path/that/is/longer/than/all/codes/together".repeat(1 + (mixed(i) % 2))}${mixed(i) % 300}`,
  "words of any letters": (i) => `prefix-${mixed(i).toString(36)}${mixed(i + 1).toString(36)}`,
  "constant keys": () => "constant and long",
};

describe("rows whose keys are coded", { timeout: 120_000 }, () => {
  it.each(Object.entries(rowOf))("are sorted as by the reference: %s", async (_, row) => {
    const text = Buffer.from(
      Array.from({ length: ROWS }, (_, i) => `${row(i)},${i % 7}\n`).join(""),
      "latin1",
    );
    for (const [keys, unique] of [
      [["1,1"], false],
      [["1,1r", "2,2n"], false],
      [["1,1f"], true],
      [["1.3,1"], true],
    ] as const) {
      const order = parseRowOrder({ key: [...keys], fieldSeparator: "," })!;
      const expected = sortPlainly([text], order, { unique }).toString("latin1");
      expect((await sorted(text, order, unique)) === expected, keys.join(" ")).toBe(true);
    }
  });

  it("are sorted by all threads where many are equal", async () => {
    const rows = 120_000;
    const sampled = (i: number) => i % Math.floor(rows / 2048) === 0;
    // Half of the keys end within the codes, a quarter go on after them, a quarter have a byte of no sample.
    const key = (i: number) => {
      if (sampled(i) || i % 2 === 0) return `customer number ${mixed(i) % 2}`;
      return i % 4 === 1 ? `customer number ${"~".repeat(60)}${i % 3}` : `customer?${mixed(i) % 3}`;
    };
    const text = Buffer.from(Array.from({ length: rows }, (_, i) => `${key(i)},${i % 7}\n`).join(""));
    for (const [keys, unique] of [
      [["1,1", "2,2nr"], false],
      [["1,1r"], true],
    ] as const) {
      const order = parseRowOrder({ key: [...keys], fieldSeparator: "," })!;
      const expected = sortPlainly([text], order, { unique }).toString("latin1");
      expect((await sorted(text, order, unique)) === expected, keys.join(" ")).toBe(true);
    }
  });

  it("may be in quotes, with quotes in them", async () => {
    const order: RowOrder = {
      terminator: 10,
      separator: 44,
      quotes: true,
      keys: [{ begin: { field: 0, offset: 0 }, end: { field: 0 }, compare: "bytes" }],
    };
    const field = (i: number) =>
      `shared beginning ${mixed(i) % 500}${isSampled(i) || i % 5 > 0 ? "" : ` ""${mixed(i) % 3}""`}`;
    const text = Buffer.from(
      Array.from({ length: ROWS }, (_, i) =>
        i % 2 || (i % 5 === 0 && !isSampled(i)) ? `"${field(i)}",${i}\n` : `${field(i)},${i}\n`,
      ).join(""),
    );
    const expected = sortPlainly([text], order, { unique: false }).toString("latin1");
    expect((await sorted(text, order, false)) === expected).toBe(true);
  });
});
