import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { parseRowOrder } from "../../../src/commands/sort/line_keys.js";
import type { RowOrder } from "../../../src/rows/order/row_order.js";
import { sampledCoding } from "../../../src/rows/order/sampled_coding.js";
import { RowBatch } from "../../../src/rows/row_batch.js";
import { rowKernels } from "../../../src/rows/row_kernels.js";
import { RowWorkspace } from "../../../src/rows/workspace.js";
import { KernelThreads } from "../../../src/threads/kernel_threads.js";
import { sortPlainly } from "../../support/plain_rows.js";
import { sortTexts } from "../../support/row_sorts.js";

const ROWS = 17_000; // so many that threads share them
const mixed = (i: number) => Math.imul(i + 1, 0x9e3779b1) >>> 0;

/** Whether a row may be in the sample of so many rows: every eighth one is, from the first on. */
const isSampled = (i: number) => i % 8 === 0;

const tools = new KernelThreads(2, { sharedBytes: 1, startBytes: 1, threadBytes: 1 });
afterAll(() => tools.close());

/** The coding of the first keys of a text's rows. */
async function codingOf(row: (i: number) => string, key = "1,1") {
  const runner = tools.runner(rowKernels);
  try {
    const text = Buffer.from(Array.from({ length: ROWS }, (_, i) => `${row(i)}\n`).join(""));
    const space = new RowWorkspace(
      runner,
      parseRowOrder({ key: [key], fieldSeparator: "," })!,
      false,
      1 << 26,
    );
    space.reserve(space.placesFor(text.length, ROWS).end);
    space.bytes(space.at.text, text.length).set(text);
    const batch = new RowBatch(space);
    await batch.count(text.length);
    await batch.find();
    return await sampledCoding(space, batch.places, batch.rows);
  } finally {
    runner.close();
  }
}

describe("a coding", () => {
  it("has a position for each byte that 64 bits can hold, and takes no room for what all share", async () => {
    const nine = (i: number) => String(mixed(i) % 1e9).padStart(9, "0");
    // The last position is the end, which all share too.
    expect(
      (await codingOf((i) => `https://example.org/items/${nine(i)}${nine(i + 7)}?`))!.positions,
    ).toHaveLength(46);
    const letters = (await codingOf((i) => `customer${mixed(i).toString(36).repeat(4)}`))!.positions;
    expect(letters.length).toBeGreaterThan(18);
    expect(letters.length).toBeLessThan(24);
  });

  it.each([
    ["where first words tell keys apart", (i: number) => `${mixed(i)} and more`, "1,1"],
    ["where first words hold the keys", (i: number) => `n${i % 9}`, "1,1"],
    ["where it would tell no more apart", (i: number) => `${"x".repeat(80)}${i % 9}`, "1,1"],
    ["of numbers", () => "1234567890", "1,1n"],
    ["where bytes are left out", (i: number) => `customer ${i % 100}`, "1,1d"],
  ])("is not made %s", async (_, row, key) => {
    expect(await codingOf(row, key)).toBeUndefined();
  });

  it("is made where many begin alike", async () => {
    expect(await codingOf((i) => `customer ${i % 100}`)).toBeDefined();
    expect(await codingOf((i) => `Customer ${i % 100}`, "1,1f")).toBeDefined();
  });
});

async function sorted(text: Uint8Array, order: RowOrder, unique: boolean): Promise<string> {
  const sorted = await sortTexts(tools, [text], order, { unique, memoryBytes: 1 << 28 });
  return sorted.text.toString("latin1");
}

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

/** Few letters, so that many keys begin alike, and any other bytes that may stand in a line. */
const someKey = fc
  .array(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(65, 66, 97, 98) }, fc.integer({ min: 11, max: 255 })),
    {
      maxLength: 12,
    },
  )
  .map((bytes) => `shared--${Buffer.from(bytes).toString("latin1")}`);

async function expectAsReference(text: Buffer, keys: readonly string[], unique = false): Promise<void> {
  const order = parseRowOrder({ key: [...keys], fieldSeparator: "," })!;
  const expected = sortPlainly([text], order, { unique }).toString("latin1");
  expect((await sorted(text, order, unique)) === expected, keys.join(" ")).toBe(true);
}

describe("rows whose keys are coded", () => {
  it.each(Object.keys(rowOf))("are sorted as by the reference: %s", async (name) => {
    const row = rowOf[name]!;
    const text = Buffer.from(
      Array.from({ length: ROWS }, (_, i) => `${row(i)},${i % 7}\n`).join(""),
      "latin1",
    );
    // Each takes two of these orders.
    if (Object.keys(rowOf).indexOf(name) % 2 === 0) {
      await expectAsReference(text, ["1,1r", "2,2n"]);
      await expectAsReference(text, ["1,1f"], true);
    } else {
      await expectAsReference(text, ["1,1"]);
      await expectAsReference(text, ["1.3,1"], true);
    }
  });

  it("are sorted as by the reference, whatever the sample did not show", async () => {
    const keys = fc.array(someKey, { minLength: 2, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(keys, keys, fc.constantFrom("1", "1r", "1f", "1.10"), async (sample, others, key) => {
        const of = (pool: readonly string[], i: number) => pool[mixed(i) % pool.length]!;
        const rows = Array.from({ length: ROWS }, (_, i) => `${of(isSampled(i) ? sample : others, i)}\n`);
        const text = Buffer.from(rows.join(""), "latin1");
        const order = parseRowOrder({ key: [key] })!;
        expect(await sorted(text, order, false)).toBe(sortPlainly([text], order, {}).toString("latin1"));
      }),
      { numRuns: 8 },
    );
  });

  it("are sorted by all threads where many are equal", async () => {
    const rows = 70_000;
    const sampled = (i: number) => i % Math.floor(rows / 2048) === 0;
    // Half of the keys end within the codes, a quarter go on after them, a quarter have a byte of no sample.
    const key = (i: number) => {
      if (sampled(i) || i % 2 === 0) return `customer number ${mixed(i) % 2}`;
      return i % 4 === 1 ? `customer number ${"~".repeat(60)}${i % 3}` : `customer?${mixed(i) % 3}`;
    };
    const text = Buffer.from(Array.from({ length: rows }, (_, i) => `${key(i)},${i % 7}\n`).join(""));
    await expectAsReference(text, ["1,1", "2,2nr"]);
    await expectAsReference(text, ["1,1r"], true);
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
