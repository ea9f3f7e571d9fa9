import { promises as fs } from "node:fs";
import { afterAll, expect } from "vitest";
import { openInputs } from "../src/sort/inputs.js";
import { OrderInUse } from "../src/sort/rows/guessed_order.js";
import { rowOrderOf } from "../src/sort/rows/row_inputs.js";
import { sortFile } from "../src/sort/sort_file.js";
import type { SortFileOptions } from "../src/sort/sort_options.js";
import { KernelThreads } from "../src/threads/kernel_threads.js";
import { Workplace } from "./support/command.js";
import { csvCases, csvCaseText, csvOptions, decoded, withPython } from "./support/csv_cases.js";

/**
 * Random tables, sorted as Python sorts them (test/support/csv_cases.py). GPUSORT_CSV_CASES says how many of
 * them there are, GPUSORT_SEED which ones.
 */
const CASES = Number(process.env.GPUSORT_CSV_CASES ?? 125);
/** Some of them are refused. */
const LARGE = 3 * Math.ceil(CASES / 125);
const seed = Number(process.env.GPUSORT_SEED ?? 20_261_127);

const work = await Workplace.create();
afterAll(() => work.remove());

async function* streamed(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_003) yield bytes.subarray(at, at + 100_003);
}

/** A name that fits the separator. */
const outputOf = ({ rows }: SortFileOptions) => work.path(rows?.separator === 9 ? "out.tsv" : "out.csv");

/** Sorts the inputs of a case, as files or as pipes. @returns what was written, or the error. */
async function sorted(inputs: readonly Buffer[], options: SortFileOptions, isStream: boolean) {
  const output = outputOf(options);
  const given = isStream
    ? inputs.map(streamed)
    : await Promise.all(
        inputs.map(async (bytes, i) => {
          await fs.writeFile(work.path(`in${i}.csv`), bytes);
          return work.path(`in${i}.csv`);
        }),
      );
  try {
    const summary = await sortFile(given, output, options);
    return { text: await fs.readFile(output), summary };
  } catch (error) {
    return { error: error as Error };
  }
}

withPython.describe("CSV by columns", () => {
  withPython.it(
    "is sorted as Python's csv and decimal do it, by files, pipes, merges, in core and out of core",
    { timeout: 60 * 60_000 },
    async () => {
      let [refused, widened, merges, outOfCore] = [0, 0, 0, 0];
      for (const [number, one] of csvCases(seed, CASES, LARGE).entries()) {
        const what = csvCaseText(seed, number, one);
        const options = {
          ...csvOptions(one),
          device: "cpu" as const,
          threads: 1 + (number % 2),
          ...(one.large && { memoryBytes: 1 }),
        };
        const inputs = one.inputs.map(decoded);
        const { text, error, summary } = await sorted(inputs, options, number % 3 === 0);
        if (one.refused !== undefined) {
          refused++;
          expect(error?.name, what).toBe("InputError");
          continue;
        }
        if (error) throw new Error(`${what}: ${error.message}`, { cause: error });
        const expected = decoded(one.expected!);
        if (!text!.equals(expected)) expect(`${what}\n${text}`).toBe(`${what}\n${expected}`);
        if (summary!.by?.includes("sorts the others")) widened++;
        if (summary!.external) outOfCore++;
        if (one.merged) {
          merges++;
          const merged = await sorted(one.merged.map(decoded), { ...options, merge: true }, false);
          if (merged.error) throw new Error(`${what}, merged: ${merged.error.message}`);
          if (!merged.text!.equals(expected)) expect(`${what}\n${merged.text}`).toBe(`${what}\n${expected}`);
        }
        if (one.head === null && !one.unique) await expectInOrder(options, what);
      }
      expect(refused).toBeGreaterThan(CASES / 25);
      expect(widened).toBeGreaterThan(CASES / 25);
      expect(merges).toBeGreaterThan(CASES / 10);
      expect(outOfCore).toBeGreaterThanOrEqual(LARGE / 3);
    },
  );
});

/** Expects the checks to find the output in order. */
async function expectInOrder(options: SortFileOptions, what: string): Promise<void> {
  const { findRowDisorder } = await import("../src/sort/rows/check_rows.js");
  const opened = await openInputs([outputOf(options)], options);
  const threads = new KernelThreads(1);
  try {
    const meant = (await rowOrderOf(opened, options))!;
    const { header = options.header ?? false } = meant;
    const used = new OrderInUse(meant);
    expect(
      await findRowDisorder(opened.files, { used, header, unique: false, threads }),
      what,
    ).toBeUndefined();
  } finally {
    await opened.close();
    threads.close();
  }
}
