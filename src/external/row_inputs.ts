import { InputError } from "../core/errors.js";
import type { InputFile } from "../files/input_file.js";
import type { CsvSample } from "../formats/csv.js";
import { refuseForeign, refuseUtf16 } from "../formats/foreign.js";
import { HEAD_BYTES } from "../formats/looks_like_text.js";
import { detect, formatOfPath } from "../formats/registry.js";
import type { SortColumn } from "../formats/sort_column.js";
import type { RowKey, RowOrder } from "../rows/row_order.js";
import type { SortFileOptions } from "./sort_options.js";

/** The options that say whether inputs are rows, and in which order. */
export type RowInputOptions = Pick<
  SortFileOptions,
  "format" | "recordBytes" | "rows" | "descending" | "by" | "invalid"
> &
  Parameters<typeof detect>[2];

/** The order of rows that is meant. */
export interface MeantOrder {
  readonly order: RowOrder;
  /** The columns in words, if the rows are sorted by columns. */
  readonly by?: string;
}

/**
 * Finds out whether open inputs are lines of text that are sorted as rows.
 *
 * @returns the order of the rows, complete: `descending` has become part of it. Undefined if the inputs are
 *   numbers or records.
 * @throws InputError if the inputs do not look like what the options say, if only some of them are rows, or
 *   if they do not have the columns to sort by.
 */
export async function rowOrderOf(
  files: readonly InputFile[],
  options: RowInputOptions,
): Promise<MeantOrder | undefined> {
  const { format, rows, recordBytes, by } = options;
  if (rows || by) {
    if (format === undefined)
      for (const file of files) await requireText(file, by ? "columns" : "keys of lines");
    return by ? orderByColumns(files, by, options) : { order: rowOrder(options) };
  }
  if (format === "lines") return { order: rowOrder(options) };
  if (format !== undefined || recordBytes !== undefined) return undefined;
  const formats: string[] = [];
  for (const file of files) formats.push((await detect(file, undefined, options)).name);
  const some = formats.indexOf("lines");
  if (some < 0) return undefined;
  // A part of some text may happen to hold numbers alone, or nothing.
  for (const [i, name] of formats.entries()) {
    if (name === "lines" || name === "text") continue;
    if (formatOfPath(files[i]!.name) === undefined && (await files[i]!.peek(1)).length === 0) continue;
    throw new InputError(
      `${files[some]!.name} holds lines of text, but ${files[i]!.name} is read as ${name}`,
      { hint: "sort them one by one, or name one format for all", options: ["format"] },
    );
  }
  return { order: rowOrder(options) };
}

/** Finds the columns in the first rows of the inputs. */
async function orderByColumns(
  files: readonly InputFile[],
  by: readonly SortColumn[],
  { header = false, rows, descending = false, invalid }: RowInputOptions,
): Promise<MeantOrder> {
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

/**
 * @param what what was named for the inputs, for the error.
 * @throws InputError if an input is of a kind that has no lines.
 */
async function requireText(file: InputFile, what: string): Promise<void> {
  const named = formatOfPath(file.name);
  const { name: format } = named?.name === "raw" ? named : await detectBinary(file);
  if (format === "lines") return;
  throw new InputError(`${what} do not apply to ${file.name}: it is read as ${format}`, {
    hint: "leave them out, or name the format lines",
    options: [what === "columns" ? "by" : "rows", "format"],
  });
}

/** What the first bytes show: "npy", or else "lines". @throws InputError if they are of a foreign kind. */
async function detectBinary(file: InputFile): Promise<{ readonly name: string }> {
  await refuseForeign(file);
  const head = await file.peek(HEAD_BYTES);
  refuseUtf16(file.name, head);
  return Buffer.from(head.subarray(0, 6)).toString("latin1") === "\x93NUMPY"
    ? { name: "npy" }
    : { name: "lines" };
}
