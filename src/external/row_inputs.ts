import type { InputFile } from "../files/input_file.js";
import type { CsvSample } from "../formats/csv.js";
import type { SortColumn } from "../formats/sort_column.js";
import { type NumberSample, sampleNumbers } from "../kinds/content.js";
import type { RowKey, RowOrder } from "../rows/row_order.js";
import type { KnownInputs } from "./inputs.js";
import { refuseJsonLines } from "./json_lines.js";
import type { SortFileOptions } from "./sort_options.js";

/** The options that say whether inputs are rows, and in which order. */
export type RowInputOptions = Pick<
  SortFileOptions,
  "format" | "algorithm" | "rows" | "header" | "descending" | "by" | "invalid"
>;

/** An order of rows, complete. */
export interface MeantOrder {
  readonly order: RowOrder;
  /** The columns in words, if the rows are sorted by columns. */
  readonly by?: string;
}

/**
 * The order of open inputs that are rows of text.
 *
 * @returns the order, complete: `descending` has become part of it. Undefined if the inputs are numbers or records.
 * @throws InputError if the inputs do not have the columns to sort by.
 */
export async function rowOrderOf(
  { files, kind = "lines" }: Pick<KnownInputs, "files" | "kind">,
  options: RowInputOptions,
): Promise<MeantOrder | undefined> {
  const { by } = options;
  if (by) return orderByColumns(files, by, options);
  if (kind === "lines" || kind === "csv") return { order: rowOrder(options) };
  const { format, algorithm = "auto" } = options;
  if (kind !== "text" || format === "text" || !["auto", "radix"].includes(algorithm)) return undefined;
  const samples: NumberSample[] = [];
  for (const file of files) samples.push(await sampleNumbers(file));
  const sum = (of: "lines" | "numbers") => samples.reduce((all, sample) => all + sample[of], 0);
  return 2 * sum("numbers") >= sum("lines") ? undefined : { order: rowOrder(options) };
}

/** Finds the columns in the first rows of the inputs. */
async function orderByColumns(
  files: readonly InputFile[],
  by: readonly SortColumn[],
  { format, header = false, rows, descending = false, invalid }: RowInputOptions,
): Promise<MeantOrder> {
  if (format === undefined) for (const file of files) await refuseJsonLines(file, by);
  const { readCsvSample } = await import("../formats/csv.js");
  const { orderOfColumns } = await import("../formats/csv_order.js");
  const samples: CsvSample[] = [];
  for (const file of files)
    samples.push(await readCsvSample(file, header, samples[0]?.separator ?? rows?.separator));
  const directed = by.map((one) => (descending ? { ...one, descending: !one.descending } : one));
  const { order, text } = orderOfColumns(samples, directed, { header, invalid });
  return { order: { ...order, terminator: rows?.terminator ?? order.terminator }, by: text };
}

/** The order that the options ask for. Without keys, whole lines are compared byte by byte. */
function rowOrder({ rows, descending = false }: RowInputOptions): RowOrder {
  const order: RowOrder = rows ?? { terminator: 10, separator: undefined, quotes: false, keys: [] };
  if (!descending) return order;
  const whole: RowKey = { begin: { field: 0, offset: 0 }, compare: "bytes" };
  const keys = order.keys.length === 0 ? [whole] : order.keys;
  return { ...order, keys: keys.map((key) => ({ ...key, descending: !key.descending })) };
}
