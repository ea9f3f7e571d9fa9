import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { SortFileOptions } from "../../src/sort/sort_options.js";
import { needs } from "./needs.js";
import { pythonThat } from "./python.js";

const python = pythonThat("import sys; assert sys.version_info >= (3, 9)");
export const withPython = needs(python, "Python 3.9 or later");

/** A table, as csv_cases.py prints it. Texts are in Base64. */
export interface CsvCase {
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

const script = fileURLToPath(new URL("csv_cases.py", import.meta.url));

/** Random tables, sorted as Python sorts them: `small` small ones, then `large` large ones. */
export function csvCases(seed: number, small: number, large: number): CsvCase[] {
  const options = { encoding: "utf8", maxBuffer: 1 << 30 } as const;
  return JSON.parse(execFileSync(python!, [script, `${seed}`, `${small}`, `${large}`], options));
}

export const decoded = (text: string) => Buffer.from(text, "base64");

/** How a table is sorted. */
export function csvOptions(one: CsvCase): SortFileOptions {
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
  };
}

/** A case in words, without its texts, for messages. */
export const csvCaseText = (seed: number, number: number, one: CsvCase): string =>
  `case ${number} of GPUSORT_SEED=${seed}: ${JSON.stringify({ ...one, inputs: 0, expected: 0, merged: 0 })}`;
