import { execFileSync } from "node:child_process";
import { promises as fs } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import { OrderInUse } from "../src/external/guessed_order.js";
import { openInputs } from "../src/external/inputs.js";
import { rowOrderOf } from "../src/external/row_inputs.js";
import { sortFile } from "../src/external/sort_file.js";
import type { SortFileOptions } from "../src/external/sort_options.js";
import { KernelThreads } from "../src/threads/kernel_threads.js";
import { Workplace } from "./support/command.js";
import { needs } from "./support/needs.js";

/**
 * Random tables, sorted as Python sorts them (test/support/csv_cases.py). GPUSORT_CSV_CASES says how many of them
 * there are, GPUSORT_SEED which ones.
 */
const CASES = Number(process.env.GPUSORT_CSV_CASES ?? 125);
/** Some of them are refused. */
const LARGE = 3 * Math.ceil(CASES / 125);
const seed = Number(process.env.GPUSORT_SEED ?? 20_261_127);

const python = ["/usr/bin/python3", "python3"].find((command) => {
  try {
    execFileSync(command, ["-c", "import sys; assert sys.version_info >= (3, 9)"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});
const withPython = needs(python, "Python 3.9 or later");

/** A table, as csv_cases.py prints it. Texts are in Base64. */
interface Case {
  readonly separator: string;
  readonly nulls: readonly string[];
  readonly decimal: string | null;
  readonly thousands: string | null;
  readonly invalid: "first" | "last" | "error" | null;
  readonly unique: boolean;
  readonly head: number | null;
  readonly header: boolean;
  readonly large: boolean;
  readonly by: readonly {
    readonly column: string;
    readonly descending: boolean;
    readonly type: string | null;
    readonly nulls: "first" | "last" | null;
  }[];
  readonly inputs: readonly string[];
  readonly expected?: string;
  /** The inputs, each sorted by itself. */
  readonly merged?: readonly string[];
  readonly kinds?: readonly string[];
  readonly refused?: string;
}

const work = await Workplace.create();
afterAll(() => work.remove());

const script = fileURLToPath(new URL("support/csv_cases.py", import.meta.url));
const casesOf = (): Case[] =>
  JSON.parse(
    execFileSync(python!, [script, `${seed}`, `${CASES}`, `${LARGE}`], {
      encoding: "utf8",
      maxBuffer: 1 << 30,
    }),
  );

const decoded = (text: string) => Buffer.from(text, "base64");

function optionsOf(one: Case): SortFileOptions {
  const { separator, nulls, decimal, thousands, invalid, unique, head, header } = one;
  const isNamed = one.by.some(({ column }) => !/^\d+$/.test(column));
  return {
    by: one.by.map(({ column, descending, type, nulls: place }) => ({
      column,
      descending,
      ...(type && { type }),
      ...(place && { nulls: place }),
    })),
    rows: { terminator: 10, separator: separator.charCodeAt(0), quotes: false, keys: [] },
    header: header && isNamed ? undefined : header, // names of columns say that there is one
    ...(nulls.length > 0 && { nullWords: nulls }),
    ...(decimal && { decimal }),
    ...(thousands && { thousands }),
    ...(invalid && { invalid }),
    unique,
    ...(head && { head }),
    device: "cpu",
  };
}

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
      for (const [number, one] of casesOf().entries()) {
        const what = `case ${number} of GPUSORT_SEED=${seed}: ${JSON.stringify({ ...one, inputs: 0, expected: 0, merged: 0 })}`;
        const options = {
          ...optionsOf(one),
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
  const { findRowDisorder } = await import("../src/external/check_rows.js");
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
