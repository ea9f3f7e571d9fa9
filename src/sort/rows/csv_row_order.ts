import { InputError } from "../../core/errors.js";
import { quoteBytes } from "../../core/quote.js";
import type { InputFile } from "../../files/input_file.js";
import { type CsvSample, type RowEnd, readCsvSample } from "../../formats/csv.js";
import { type ColumnOptions, type ColumnOrder, orderOfColumns } from "../../formats/csv_order.js";
import { columnNumber } from "../../formats/sort_column.js";
import { kindOfPath } from "../../kinds/names.js";
import type { RowKey } from "../../rows/order/row_order.js";
import { csvHeaderNotice, type OrderOfInputs } from "../order_of_inputs.js";
import type { SortFileOptions } from "../sort_options.js";

/** The options that say how records are read and ordered. */
export type CsvRowOptions = Pick<
  SortFileOptions,
  "by" | "rows" | "header" | "descending" | "invalid" | "nullWords" | "decimal" | "thousands"
>;

/**
 * Finds the order of records of CSV or TSV: by columns, or as they are, byte by byte, if none are named. The
 * first records of the inputs say how records and fields are separated, and what is in columns. A column that
 * is named by its name is looked for in a header, whether or not the options say that there is one.
 *
 * @throws InputError as `readCsvSample` and `orderOfColumns`.
 */
export async function orderOfCsv(
  files: readonly InputFile[],
  options: CsvRowOptions,
): Promise<OrderOfInputs> {
  const { by, rows, descending = false } = options;
  const read: CsvSample[] = [];
  for (const file of files) {
    const known = read.find(({ records }) => records.length > 0);
    const said = rows?.separator ?? kindOfPath(file.name)?.separator;
    // A guess holds for the inputs behind it, too: they may be too short for one.
    const guessed = said === undefined && known?.isGuessed ? known.separator : undefined;
    const style = {
      ...(said !== undefined && { separator: said }),
      ...(rows?.terminator === 0 && { terminator: 0 as const }),
    };
    const likely = { ...style, ...(guessed !== undefined && { separator: guessed, isGuessed: true }) };
    let sample = await readCsvSample(file, likely, known?.separator);
    // But not for one whose fields it does not separate, while another byte seems to.
    if (guessed !== undefined && isSeparated(known!) && !isSeparated(sample))
      sample = await readCsvSample(file, style, guessed);
    read.push(sample);
  }
  requireOneSeparator(read);
  const end = commonEnd(read);
  const samples = end === undefined ? read : read.map((one) => ({ ...one, terminator: end }));
  const sample = samples.find(({ records }) => records.length > 0) ?? samples[0];
  const header = options.header ?? by?.some((one) => columnNumber(one) === undefined) ?? false;
  const columns = columnOptions(options, header);
  const notice = header || !sample ? undefined : csvHeaderNotice(sample, columns.form);
  const common = { header, ...(notice !== undefined && { notice }) };
  if (!by) {
    const { separator = 44, terminator = 10 } = sample ?? {};
    const whole: RowKey = { begin: { field: 0, offset: 0 }, compare: "bytes", descending: true };
    const text = `whole rows as text${descending ? ", descending" : ""}`;
    const order = { terminator, separator, quotes: true, keys: descending ? [whole] : [] };
    return { ...common, order, by: `${text}${separatorGuess(sample)}` };
  }
  const directed = by.map((one) => (descending ? { ...one, descending: !one.descending } : one));
  const ordered = orderOfColumns(samples, directed, columns);
  return { ...ofColumns(ordered, sample), ...common };
}

const isSeparated = ({ records }: CsvSample) => records.some(({ fields }) => fields.length > 1);

/**
 * @throws InputError if the name or the rows of an input say that another byte separates its fields: one order
 *   reads all.
 */
function requireOneSeparator(samples: readonly CsvSample[]): void {
  const [first, ...others] = samples.filter(({ records }) => records.length > 0);
  const other = others.find(({ separator }) => separator !== first!.separator);
  if (!other) return;
  const [own, theirs] = [first!, other].map(({ separator }) => quoteBytes(Uint8Array.of(separator)));
  throw new InputError(
    `the fields of ${first!.name} are separated by ${own}, but those of ${other.name} by ${theirs}`,
    {
      hint: "sort them one by one, or name the byte that separates the fields of all",
      options: ["rows"],
    },
  );
}

/**
 * What ends the rows of all inputs; undefined if none shows it.
 *
 * @throws InputError if some end with line feeds, and others with carriage returns: one order reads them all.
 */
function commonEnd(samples: readonly CsvSample[]): RowEnd | undefined {
  const [first, ...others] = samples.filter(({ ends }) => ends !== undefined);
  const other = others.find(({ ends }) => ends !== first!.ends);
  if (!other) return first?.ends;
  const [own, theirs] = [first!, other].map(({ ends }) =>
    ends === 10 ? "line feeds" : "carriage returns alone",
  );
  throw new InputError(
    `the rows of ${first!.name} end with ${own}, but those of ${other.name} with ${theirs}`,
    {
      hint: "sort them one by one, or replace the carriage returns: tr '\\r' '\\n' < OLD > NEW",
    },
  );
}

function ofColumns(ordered: ColumnOrder, sample: CsvSample | undefined): OrderOfInputs {
  const { order, text, columns, widen } = ordered;
  return {
    order,
    by: `${text}${separatorGuess(sample)}`,
    columns,
    widen: (misfit) => ofColumns(widen(misfit), sample),
  };
}

/** What was guessed of how fields are separated, as the end of an order in words. */
function separatorGuess(sample: CsvSample | undefined): string {
  if (!sample?.isGuessed) return "";
  return `; fields are separated by ${quoteBytes(Uint8Array.of(sample.separator))} (guessed)`;
}

function columnOptions(options: CsvRowOptions, header: boolean): ColumnOptions {
  const { invalid, nullWords, decimal, thousands } = options;
  const byteOf = (text: string | undefined) => (text === undefined ? undefined : text.charCodeAt(0));
  const form = { point: byteOf(decimal), thousands: byteOf(thousands) };
  const hasForm = decimal !== undefined || thousands !== undefined;
  return { header, invalid, nullWords, form: hasForm ? form : undefined };
}
