import type { Command } from "@commander-js/extra-typings";
import type { Command as UntypedCommand } from "commander";
import { fileCompressions } from "../core/compression.js";
import { elementTypes } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { columnTypes } from "../formats/column_values.js";
import { itemKindNames, kindNames, listed } from "../kinds/names.js";
import { isSeparator } from "./sort/line_keys.js";

/**
 * The type by which the compiler derives a command's options from its declaration. Only the types of
 * @commander-js/extra-typings are used: loading the package itself would take 9 ms.
 */
export const withInferredTypes = (program: UntypedCommand) => program as unknown as Command;

/** The default of `--device`: GPUSORT_DEVICE, by which a worker gets a GPU of its own; else "auto". */
export const defaultDevice = process.env.GPUSORT_DEVICE || "auto";

/** @param auto what `auto` stands for in this command. */
export const deviceOption = (auto: string) =>
  [
    "--device <which>",
    [
      `device to use: auto (${auto}), gpu, software, cpu, uuid:GPU-…, a number of gpusort devices,`,
      "or part of an adapter's name",
    ].join(" "),
    defaultDevice,
  ] as const;

/** The device of commands that need no input to choose one. */
export const ADAPTER = deviceOption("the best adapter, else the CPU");

export const QUIET = ["-q, --quiet", "print no progress, no notices and no summary"] as const;

export const THREADS = [
  "--threads <n>",
  "threads of the CPU to use at most, from 1 to 255 (default: all cores)",
] as const;

export const TEMP_DIR = [
  "-T, --temp-dir <folder>",
  "folder for temporary files, used if memory is too small (default: TMPDIR, else the output's folder)",
] as const;

/** In commands that sort lines, -h is an order, as in sort(1). */
export const LONG_HELP = ["--help", "print this help"] as const;

/** @param what what is compressed. @param usual how it is by default. @param more what else the option does. */
export function compressOption(what: string, usual: string, more = "") {
  const names = fileCompressions.map((name) => (name === "zst" ? "zst (Node 22.15 or later)" : name));
  return ["--compress <how>", `compress the ${what}: ${listed(names)} (default: ${usual})${more}`] as const;
}

export const formatNames = listed(kindNames);

export const itemFormatNames = listed(itemKindNames);

export const typeNames = elementTypes.map(({ name }) => name).join(", ");

/** The options of `addInputOptions`, as commander gives them. */
type InputOptions = {
  type?: string | undefined;
  format?: string | undefined;
  byteOrder?: string | undefined;
  skipBytes?: string | undefined;
  record?: string | undefined;
  key?: string[] | undefined;
  header?: true | undefined;
  blankLines?: string | undefined;
  textOverflow?: string | undefined;
};

/**
 * Gives a command the options that say how its inputs are read, and how lines and the rows of tables are
 * ordered. Their types are declared, as the compiler would need gigabytes to infer them of a command that it
 * does not know.
 */
export function addInputOptions<A extends unknown[]>(command: Command<A>) {
  const described = command as unknown as UntypedCommand;
  addReadingOptions(described, { rows: true });
  addOrderOptions(described);
  return command as unknown as Command<A, InputOptions & OrderOptions>;
}

/**
 * The options that say how inputs are read.
 *
 * @param rows whether the inputs may be lines or tables, too.
 */
export function addReadingOptions(command: UntypedCommand, { rows }: { rows: boolean }): void {
  command
    .option(
      "-t, --type <type>",
      [
        `type of the keys: ${typeNames} (default: from the file; i64 for text; else u32)`,
        ...(rows ? ["or one character, which separates the fields of lines, as in -t,"] : []),
      ].join("; "),
      typeOrSeparator,
    )
    .option(
      "--format <format>",
      `input format: ${rows ? formatNames : itemFormatNames} (default: by the name and the first bytes; else text, if it is text)`,
    )
    .option(
      "--byte-order <order>",
      "byte order of raw keys and of numeric record keys: little or big (default: little)",
    )
    .option("--skip-bytes <n>", "skip a header of n bytes at the start of each input (default: 0)")
    .option("--record <bytes>", "read the input as records of this many bytes each")
    .option(
      "-k, --key <key>",
      [
        ...(rows
          ? [
              "key of lines, as in sort(1): FIELD[.BYTE][bdfghiMnrV][,FIELD[.BYTE][bdfghiMnrV]], counted from 1; or",
            ]
          : []),
        "key of a record: OFFSET:BYTES or OFFSET:TYPE, where OFFSET counts bytes from 0; repeat the option to break",
        `ties by further keys (default: the whole ${rows ? "line or " : ""}record)`,
      ].join(" "),
      append,
    )
    .option("--header", "the first line of each text input is a header; a text output begins with it")
    .option("--blank-lines <what>", "blank lines of text: error or skip (default: error)")
    .option(
      "--text-overflow <what>",
      "numbers of text that are too large for a float: error or inf (default: error)",
    );
}

/** The options of `addOrderOptions`. */
type OrderOptions = {
  by?: string[] | undefined;
  invalid?: string | undefined;
  null?: string[] | undefined;
  decimal?: string | undefined;
  thousands?: string | undefined;
  numericSort?: true | undefined;
  generalNumericSort?: true | undefined;
  humanNumericSort?: true | undefined;
  monthSort?: true | undefined;
  versionSort?: true | undefined;
  sort?: string | undefined;
  ignoreLeadingBlanks?: true | undefined;
  dictionaryOrder?: true | undefined;
  ignoreCase?: true | undefined;
  ignoreNonprinting?: true | undefined;
  zeroTerminated?: true | undefined;
  fieldSeparator?: string | undefined;
};

function addOrderOptions(command: UntypedCommand): void {
  command
    .option(
      "--by <columns>",
      [
        "sort CSV, TSV or Parquet by columns, separated by commas: NAME or number from 1; then :desc,",
        `:nulls-first or :nulls-last, and ${listed(columnTypes.map((type) => `:${type}`))} (default: guessed), as in`,
        "--by day:desc,name;",
        "put names with commas or colons, or that are numbers, in double quotes",
      ].join(" "),
      append,
    )
    .option(
      "--invalid <where>",
      "--by: where rows of CSV go whose value is no number or date: first, last or error (default: last)",
    )
    .option(
      "--null <words>",
      "--by: words that are no value of a number or a date in CSV, separated by commas, as in --null NA,-",
      append,
    )
    .option("--decimal <character>", "--by: what stands before the decimals of numbers in CSV (default: .)")
    .option("--thousands <character>", "--by: what may stand between groups of three digits (default: none)")
    .option("-n, --numeric-sort", "lines: compare keys as decimal numbers of any length")
    .option("-g, --general-numeric-sort", "lines: compare keys as floating-point numbers, such as 1e6 or nan")
    .option("-h, --human-numeric-sort", "lines: compare keys as numbers with a unit, such as 4K or 2G")
    .option("-M, --month-sort", "lines: compare keys as months: JAN < … < DEC")
    .option("-V, --version-sort", "lines: compare keys in natural order: file9 < file10, 1.2~rc1 < 1.2")
    .option(
      "--sort <word>",
      "lines: numeric, general-numeric, human-numeric, month or version, as the options above",
    )
    .option("-b, --ignore-leading-blanks", "lines: leave out blanks where a key begins, and where it ends")
    .option("-d, --dictionary-order", "lines: compare only letters, digits and blanks")
    .option(
      "-f, --ignore-case",
      "lines: compare lower-case letters as upper-case ones; --by: text as :nocase does",
    )
    .option("-i, --ignore-nonprinting", "lines: compare only printable characters of ASCII")
    .option("-z, --zero-terminated", "lines end with a byte 0 instead of a line break")
    .option("--field-separator <separator>", "lines: the byte between two fields, as in -t, or -t '\\t'");
}

/** Of two outputs one would not be written, so they are refused, as by sort(1). */
export function oneOutput(value: string, before: string | undefined): string {
  if (before === undefined || before === value) return value;
  throw new InputError(`--output is given twice: '${before}' and '${value}'`, { hint: "name one output" });
}

const append = (value: string, values: readonly string[] = []) => [...values, value];

/** The last type counts, as for other options; but a separator and a type mean two things, and both count. */
function typeOrSeparator(value: string, before: string | undefined): string {
  if (before === undefined || before === value || !(isSeparator(before) || isSeparator(value))) return value;
  throw new InputError(`-t is given twice: '${before}' and '${value}'`, {
    hint: "an input has one separator of fields, or one type of keys",
  });
}
