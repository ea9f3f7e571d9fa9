import { promises as fs, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect } from "vitest";
import { type LineArguments, parseRowOrder } from "../../src/commands/sort/line_keys.js";
import { createTemporary } from "../../src/files/temporary/temporary.js";
import { mergeRows } from "../../src/rows/merge/merge_inputs.js";
import type { RowOrder } from "../../src/rows/order/row_order.js";
import { rowKernels } from "../../src/rows/row_kernels.js";
import { sortRows } from "../../src/rows/sort_rows.js";
import { KernelThreads } from "../../src/threads/kernel_threads.js";
import { sortByGnu, withGnuSort } from "../support/gnu_sort.js";
import { HANG_MS } from "../support/hang_limit.js";
import { comparable, type LineText, lineText } from "../support/line_texts.js";
import { lineKey } from "../support/row_cases.js";
import { rowInput } from "../support/row_inputs.js";
import "../support/seeded.js";

/** How long texts are tried: 10 seconds in CI, some of them otherwise, an hour by the variable. */
const seconds = Number(process.env.GPUSORT_LINES_SECONDS ?? (process.env.GPUSORT_TESTS === "full" ? 10 : 5));

const folder = mkdtempSync(join(tmpdir(), "gpusort-lines-"));
/** Every text is worth threads here. */
const eager = { sharedBytes: 1, startBytes: 1, threadBytes: 1 };
const tools = [1, 2].map((count) => new KernelThreads(count, eager));
const counts = { sorts: 0, merges: 0, outOfCore: 0, bytes: 0 };
afterAll(async () => {
  for (const one of tools) one.close();
  await fs.rm(folder, { recursive: true });
  const { sorts, merges, outOfCore, bytes } = counts;
  process.stderr.write(
    `${sorts} sorts of lines, ${outOfCore} of them out of core, and ${merges} merges: ${bytes} bytes\n`,
  );
});

/** Letters of options that go together. */
const letters = fc
  .tuple(
    fc.constantFrom("", "", "n", "h", "g", "M", "f", "d", "i", "df", "di", "fi", "nf", "Mf", "hf"),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([ordering, reverse, blanks]) => `${ordering}${reverse ? "r" : ""}${blanks ? "b" : ""}`);

const options = fc.record({
  letters,
  keys: fc.array(lineKey, { maxLength: 3 }),
  unique: fc.boolean(),
  merge: fc.constantFrom(false, false, true),
  head: fc.option(fc.oneof(fc.nat(20), fc.nat(100_000)), { nil: undefined, freq: 2 }),
  threads: fc.constantFrom(1, 2),
  isLittle: fc.boolean(),
  isStream: fc.boolean(),
  /** Where the text is cut into inputs, in thousandths. */
  cuts: fc.array(fc.nat(1000), { maxLength: 3 }),
});
type Options = typeof options extends fc.Arbitrary<infer T> ? T : never;

const whole: RowOrder = { terminator: 10, separator: undefined, quotes: false, keys: [] };

function orderOf({ letters, keys }: Options, { separator, zeroTerminated }: LineText): RowOrder {
  const has = (letter: string) => letters.includes(letter) || undefined;
  const typed: LineArguments = {
    ...{ key: keys.length > 0 ? keys : undefined, fieldSeparator: separator, zeroTerminated },
    ...{ ignoreLeadingBlanks: has("b"), dictionaryOrder: has("d"), ignoreCase: has("f") },
    ...{ generalNumericSort: has("g"), humanNumericSort: has("h"), ignoreNonprinting: has("i") },
    ...{ monthSort: has("M"), numericSort: has("n"), reverse: has("r") },
  };
  const order = parseRowOrder(typed);
  if (order || !typed.reverse) return order ?? whole;
  return { ...whole, keys: [{ begin: { field: 0, offset: 0 }, compare: "bytes", descending: true }] };
}

const argumentsOf = ({ letters, keys, unique }: Options, { separator, zeroTerminated }: LineText) => [
  "-s",
  ...(letters === "" ? [] : [`-${letters}`]),
  ...keys.map((key) => `-k${key}`),
  ...(separator === undefined ? [] : ["-t", separator]),
  ...(zeroTerminated ? ["-z"] : []),
  ...(unique ? ["-u"] : []),
];

/** The lines as inputs. Only the last one may lack its terminator. */
function inputsOf(given: Options, { lines, zeroTerminated, ends }: LineText): Buffer[] {
  const own = comparable(lines, given.letters + given.keys.join(""));
  const terminator = zeroTerminated ? "\0" : "\n";
  const places = given.cuts.map((cut) => Math.floor((cut * own.length) / 1000)).sort((a, b) => a - b);
  const cuts = [0, ...places, own.length];
  return cuts.slice(1).map((end, i) => {
    const some = own.slice(cuts[i], end);
    const text = some.join(terminator) + (some.length > 0 && (ends || end < own.length) ? terminator : "");
    return Buffer.from(text, "latin1");
  });
}

/** The first lines of a text. */
function headOf(text: Buffer, head: number | undefined, terminator: number): Buffer {
  let end = 0;
  for (let lines = 0; lines < (head ?? Number.POSITIVE_INFINITY) && end < text.length; lines++)
    end = text.indexOf(terminator, end) + 1;
  return text.subarray(0, end);
}

async function sortOurselves(texts: readonly Buffer[], order: RowOrder, given: Options): Promise<Buffer> {
  const { unique, merge, head, threads, isLittle, isStream } = given;
  const parts: Buffer[] = [];
  const job = {
    inputs: texts.map((text, i) => rowInput(text, { name: `${i}.txt`, isStream })),
    ...{ order, header: false, unique, verify: true, head: head ?? Number.POSITIVE_INFINITY },
    memoryBytes: isLittle ? 1 << 20 : 1 << 29,
    createStore: (bytes: number | undefined) => createTemporary(folder, bytes),
  };
  const write = async (bytes: Uint8Array) => void parts.push(Buffer.from(bytes));
  const lent = tools[threads - 1]!.runner(rowKernels);
  try {
    const report = merge ? await mergeRows(lent, job, write) : await sortRows(lent, job, write);
    counts[merge ? "merges" : "sorts"]++;
    counts.outOfCore += Number(report.external !== undefined);
    counts.bytes += report.bytes;
  } finally {
    lent.close();
  }
  return Buffer.concat(parts);
}

async function sortByGnuFrom(texts: readonly Buffer[], args: readonly string[]): Promise<Buffer> {
  const names = texts.map((_, i) => `${i}.txt`);
  for (const [i, text] of texts.entries()) await fs.writeFile(join(folder, names[i]!), text);
  return sortByGnu([...args, ...names], Buffer.alloc(0), folder);
}

async function expectAsGnu(text: LineText, given: Options): Promise<void> {
  const args = argumentsOf(given, text);
  const order = orderOf(given, text);
  let texts = inputsOf(given, text);
  if (given.merge) texts = texts.map((one) => sortByGnu(args, one));
  const all = await sortByGnuFrom(texts, given.merge ? [...args, "-m"] : args);
  const expected = headOf(all, given.head, order.terminator);
  const actual = await sortOurselves(texts, order, given);
  if (actual.equals(expected)) return;
  const at = actual.findIndex((byte, i) => byte !== expected[i]);
  const [ours, theirs] = [actual, expected].map((bytes) => bytes.subarray(Math.max(0, at - 40), at + 40));
  expect(ours!.toString("latin1"), `sort ${args.join(" ")}, byte ${at}`).toBe(theirs!.toString("latin1"));
  expect(actual.length, `sort ${args.join(" ")}`).toBe(expected.length);
}

withGnuSort.it(
  `lines of all kinds, by any keys, are those of GNU sort, for ${seconds} seconds`,
  async () => {
    let last: Promise<void> | undefined;
    const cases = fc.asyncProperty(lineText, options, (text, given) => {
      last = expectAsGnu(text, given);
      return last;
    });
    await fc.assert(cases, {
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: 1000 * seconds,
      markInterruptAsFailure: false,
    });
    await last; // which fast-check leaves alone when the time is over
    expect(counts.sorts).toBeGreaterThan(0);
  },
  HANG_MS + 1000 * seconds,
);
