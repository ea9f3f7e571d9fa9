import { InputError, type OptionName } from "../core/errors.js";
import { type Kind, kindNames } from "./names.js";

/** An option that some kinds of input have no use for. */
interface OptionRow {
  /** The option in words, with its article. */
  readonly what: string;
  readonly worksWith: readonly Kind[];
  /** Values that are accepted where the option has no effect, as they change nothing. */
  readonly neutral?: readonly unknown[];
  /** What to do where it has no effect, if that is more than to leave it out or to name another format. */
  readonly instead?: string;
  /** The option that `instead` means. */
  readonly needs?: OptionName;
}

const numbers: readonly Kind[] = ["raw", "npy", "text"];
const rows: readonly Kind[] = ["lines", "csv"];
const allButTables: readonly Kind[] = [...numbers, "records", ...rows];

/**
 * With which kinds of input each option works. An option that is not here works with all kinds. Refusals,
 * hints, the table in docs/formats.md and its test come from this one.
 */
export const optionTable = {
  type: { what: "a type", worksWith: numbers },
  byteOrder: { what: "a byte order", worksWith: ["raw", "records"] },
  skipBytes: { what: "a number of bytes to skip", worksWith: ["raw", "records"] },
  recordBytes: { what: "a record length", worksWith: ["records"] },
  keys: {
    what: "a record key",
    worksWith: ["records"],
    instead: "give the length of the records too, or leave the key out",
    needs: "recordBytes",
  },
  blankLines: { what: "a choice about blank lines", worksWith: ["text"] },
  textOverflow: { what: "a choice about numbers that are too large", worksWith: ["text"] },
  header: { what: "a header line", worksWith: ["text", ...rows] },
  rows: { what: "an order of lines", worksWith: rows },
  by: { what: "a list of columns to sort by", worksWith: ["csv", "parquet"] },
  invalid: { what: "a place for values that do not fit", worksWith: ["csv"] },
  nullWords: { what: "a word for no value", worksWith: ["csv"] },
  decimal: { what: "a character before decimals", worksWith: ["csv"] },
  thousands: { what: "a character between thousands", worksWith: ["csv"] },
  merge: { what: "a merge of sorted inputs", worksWith: allButTables },
  algorithm: { what: "an algorithm", worksWith: numbers, neutral: ["auto", "radix"] },
  device: { what: "a device", worksWith: allButTables, neutral: ["auto", "cpu"] },
} satisfies Partial<Record<OptionName, OptionRow>>;

/** An option that some kinds have no use for. */
export type RefusableOption = keyof typeof optionTable;

/** What an input is read as, in words. */
const phrases: Readonly<Record<Kind, string>> = {
  raw: "raw keys",
  npy: "a .npy file, whose header describes the array",
  text: "text",
  records: "records, whose keys have types of their own",
  lines: "lines of text",
  csv: "rows of CSV",
  parquet: "a table, whose file says what it holds and which DuckDB sorts on the CPU",
};

/** What to do with text that becomes Parquet besides leaving out an option. */
const otherWays = { csv: [", or write CSV", ["output"]], json: ["", []] } as const;

/** Whether an option works with a kind of input. */
export function worksWith(option: RefusableOption, kind: Kind): boolean {
  const { worksWith: some }: OptionRow = optionTable[option];
  return some.includes(kind);
}

/** Whether there is a kind of input that two options work with. */
export function sharesKind(a: RefusableOption, b: RefusableOption): boolean {
  return kindNames.some((kind) => worksWith(a, kind) && worksWith(b, kind));
}

/**
 * Refuses options that have no effect on an input.
 *
 * @param name that of the input, for the error.
 * @param text what DuckDB makes Parquet of, if that is no Parquet file.
 * @throws InputError that names the first of them, and says what to do instead.
 */
export function requireOptionsOf(
  kind: Kind,
  name: string,
  options: Readonly<Partial<Record<RefusableOption, unknown>>>,
  text?: "csv" | "json",
): void {
  const read = text ? "DuckDB makes a table of it, on the CPU" : `it is read as ${phrases[kind]}`;
  const [or, others] = text ? otherWays[text] : ([", or name another format", ["format"]] as const);
  for (const option of Object.keys(optionTable) as RefusableOption[]) {
    const { what, neutral = [], instead, needs }: OptionRow = optionTable[option];
    const value = options[option];
    if (value === undefined || value === false || worksWith(option, kind) || neutral.includes(value))
      continue;
    throw new InputError(`${what} does not apply to ${name}: ${read}`, {
      hint: instead ?? `leave it out${or}`,
      options: [option, ...(needs ? [needs] : []), ...others],
    });
  }
}
