import { InputError } from "../../core/errors.js";
import { quoteBytes } from "../../core/quote.js";
import type { InputFile } from "../../files/input_file.js";
import type { SortColumn } from "../../formats/sort_column.js";
import {
  areMostlyNumbers,
  holdsJsonLines,
  jsonColumnsHint,
  type NumberSample,
  sampleNumbers,
} from "../../kinds/content.js";
import type { Kind } from "../../kinds/names.js";
import type { RowKey, RowOrder } from "../../rows/order/row_order.js";
import type { KnownInputs } from "../inputs.js";
import { headerNotice, type OrderOfInputs } from "../order_of_inputs.js";
import type { SortFileOptions } from "../sort_options.js";

/** The options that say whether inputs are rows, and in which order. */
export type RowInputOptions = Pick<
  SortFileOptions,
  | "format"
  | "algorithm"
  | "rows"
  | "header"
  | "descending"
  | "by"
  | "invalid"
  | "nullWords"
  | "decimal"
  | "thousands"
  | "type"
  | "blankLines"
  | "textOverflow"
> & {
  /** What the output becomes, if an option or its name says it, and if it is not indices. */
  readonly written?: Kind | undefined;
};

/**
 * The order of open inputs that are rows of text.
 *
 * @returns the order, complete: `descending` has become part of it. Undefined if the inputs are numbers or
 *   records.
 * @throws InputError if the inputs do not have the columns to sort by.
 */
export async function rowOrderOf(
  { files, kind = "lines" }: Pick<KnownInputs, "files" | "kind">,
  options: RowInputOptions,
): Promise<OrderOfInputs | undefined> {
  const { by, format, descending = false } = options;
  if (by && format === undefined) for (const file of files) await refuseJsonLines(file, by);
  if (kind === "csv") {
    const csv = await import("./csv_row_order.js"); // few sorts need it
    return csv.orderOfCsv(files, options);
  }
  if (kind === "lines") return { order: rowOrder(options) };
  if (kind !== "text" || becomesKeys(options)) return undefined;
  if (format === "text") return orderOfNumbers(descending, false);
  const samples: NumberSample[] = [];
  for (const file of files) samples.push(await sampleNumbers(file, options.header));
  const sum = (of: "lines" | "numbers") => samples.reduce((all, sample) => all + sample[of], 0);
  const [lines, numbers] = [sum("lines"), sum("numbers")];
  // Where only blank lines were seen, numbers may follow.
  const goesOn = samples.some(({ isWhole }) => !isWhole);
  if (numbers === lines && (lines > 0 || goesOn)) return orderOfNumbers(descending, true);
  const order = rowOrder(options);
  if (lines === 0 || !areMostlyNumbers({ lines, numbers })) return { order };
  const at = samples.findIndex(({ other }) => other !== undefined);
  const { line, text } = samples[at]!.other!;
  const [{ name }, value] = [files[at]!, Buffer.from(text, "latin1")];
  const isHeader = line === 1 && samples[at]!.numbers + 1 === samples[at]!.lines;
  return { order, by: asText(name, line, value), ...(isHeader && { notice: headerNotice(name, value) }) };
}

/**
 * Whether numbers of text are read as keys of a type, as an option or the output says, and not moved as lines.
 */
function becomesKeys({
  type,
  blankLines,
  textOverflow,
  algorithm = "auto",
  written,
}: RowInputOptions): boolean {
  if ([type, blankLines, textOverflow].some((option) => option !== undefined)) return true;
  return !["auto", "radix"].includes(algorithm) || ["raw", "npy", "text"].includes(written ?? "");
}

/** The order that the options ask for. Without keys, whole lines are compared byte by byte. */
function rowOrder({ rows, descending = false }: RowInputOptions): RowOrder {
  const order = rows ?? ofLines([]);
  if (!descending) return order;
  const keys: readonly RowKey[] = order.keys.length === 0 ? [{ begin, compare: "bytes" }] : order.keys;
  return { ...order, keys: keys.map((key) => ({ ...key, descending: !key.descending })) };
}

/**
 * Lines of JSON are sorted as lines. DuckDB sorts them by columns, and so does gpusort where it writes Parquet.
 *
 * @throws InputError if an input is lines of JSON; its hint has a command that sorts it by the columns.
 */
async function refuseJsonLines(file: InputFile, by: readonly SortColumn[]): Promise<void> {
  if (!(await holdsJsonLines(file))) return;
  throw new InputError(`${file.name} holds lines of JSON, which are sorted as lines and not by columns`, {
    hint: jsonColumnsHint(file, by),
  });
}

const begin = { field: 0, offset: 0 } as const;

/**
 * The order of lines that seem to be numbers, of any form and length. They are compared as numbers if all of
 * them are, but for blank lines, which go last; if a line is none, all are compared byte by byte. The lines are
 * moved as they are.
 *
 * @param isGuessed whether that was seen in the first lines. Otherwise a line that is no number is an error.
 */
function orderOfNumbers(descending: boolean, isGuessed: boolean): OrderOfInputs {
  const number: RowKey = {
    begin,
    compare: "number",
    invalid: isGuessed ? "last" : "error",
    ...(isGuessed && { guessed: true }),
    ...(descending && { descending }),
  };
  return {
    order: ofLines([number]),
    by: `the number on each line${isGuessed ? " (guessed)" : ""}`,
    widen: ({ input, row, value }) => ({
      order: rowOrder({ descending }),
      by: asText(input, row + 1, value),
    }),
  };
}

/** The order of lines in words if one of them, counted from 1, is no number. */
const asText = (input: string, line: number, value: Uint8Array): string =>
  `whole lines as text, as line ${line} of ${input} is no number: ${quoteBytes(value)}`;

const ofLines = (keys: readonly RowKey[]): RowOrder => ({
  terminator: 10,
  separator: undefined,
  quotes: false,
  keys,
});
