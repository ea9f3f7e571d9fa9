import { withoutMark } from "../core/bytes.js";
import { InputError, textAfterQuote, unclosedQuote } from "../core/errors.js";
import { quote } from "../core/quote.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { latin1Of, typedName } from "../kinds/content.js";
import { kindOfPath } from "../kinds/names.js";
import type { NumberForm, RowOrder } from "../rows/order/row_order.js";
import { date, isMissing, number } from "./column_values.js";
import { type CsvRecord, type CsvRecords, splitCsv } from "./csv_records.js";

/** What ends the records of a text: a line feed, or a carriage return, as of old Macs. */
export type RowEnd = 10 | 13;

/** How the records of an input are told apart. */
export interface CsvMarks {
  /** The byte between two fields, and whether it was guessed. */
  readonly separator: number;
  readonly isGuessed: boolean;
  readonly terminator: RowOrder["terminator"];
}

/** The first records of a table in CSV or TSV. */
export interface CsvSample extends CsvMarks {
  /** The name of the input, for messages. */
  readonly name: string;
  /** What ends its records, if its text shows that. */
  readonly ends?: RowEnd | undefined;
  /** Those that are not blank, the header among them, if there is one. */
  readonly records: readonly CsvRecord[];
}

/** How many rows are read to guess what a column holds; and one that may be a header. */
const SAMPLE_ROWS = 1001;

/** Where to find them: rows are rarely as long as this, on average 1 KiB. */
const SAMPLE_BYTES = 1 << 20;

/** A first row that is longer is an error. */
const MOST_BYTES = 1 << 28;

/**
 * @throws InputError if the first line only says to Excel what separates fields: it is no row, and the header is
 *   behind it.
 */
function refuseSeparatorLine(input: ByteInput, text: string): void {
  const [, separator] = /^"?sep=([^\r\n])"?(?:[\r\n]|$)/i.exec(text) ?? [];
  if (separator === undefined) return;
  throw new InputError(
    `${input.name} begins with a line that only tells Excel what separates fields, ${quote(`sep=${separator}`)}`,
    {
      hint: `leave that line out: tail -n +2 ${typedName(input)} > rows.csv; or name the format lines`,
      options: ["format"],
    },
  );
}

/**
 * Reads the first records of an input, which can still be read afterwards.
 *
 * @param style what is known of the marks between fields and records. Default: found in the first MiB, but a
 *   tab separates the fields of a .tsv.
 * @param otherwise what separates fields if nothing says it, and no byte seems to. Default: a comma.
 * @throws InputError if a quote is not closed, text follows a closing quote, or the first row is too long.
 */
export async function readCsvSample(
  input: ByteInput,
  style: Partial<CsvMarks> = {},
  otherwise = 44,
): Promise<CsvSample> {
  for (let bytes = SAMPLE_BYTES; ; bytes *= 4) {
    const head = await input.peek(bytes);
    const isWhole = head.length < bytes;
    const text = latin1Of(withoutMark(head));
    refuseSeparatorLine(input, text);
    const said = style.separator ?? kindOfPath(input.name)?.separator;
    const separators = said === undefined ? candidates : [String.fromCharCode(said)];
    const ends = style.terminator === undefined ? rowEndOf(text, separators) : undefined;
    const terminator = style.terminator ?? ends ?? 10;
    const end = String.fromCharCode(terminator);
    const separator =
      said === undefined
        ? (guessSeparator(text, end) ?? String.fromCharCode(otherwise))
        : String.fromCharCode(said);
    const split = splitCsv(text, { separator, terminator: end }, SAMPLE_ROWS);
    const isFull = split.records.length === SAMPLE_ROWS;
    const records = isWhole || isFull || split.isComplete ? split.records : withoutLast(split);
    requireQuotes(input.name, split, isWhole);
    if (records.length === 0 && !isWhole && bytes < MOST_BYTES) continue;
    if (records.length === 0 && !isWhole) throw tooLong(input.name);
    return {
      name: input.name,
      separator: separator.charCodeAt(0),
      isGuessed: style.isGuessed ?? said === undefined,
      terminator,
      ends,
      records: records.map(({ row, fields }) => ({ row, fields: fields.map(decoded) })),
    };
  }
}

/** Text in UTF-8 of which each byte is a character. */
const decoded = (field: string) =>
  /[\x80-\xff]/.test(field) ? Buffer.from(field, "latin1").toString() : field;

/** The records but the last one, which may be cut off, unless it is in quotes that are left out already. */
const withoutLast = ({ records, openRow }: CsvRecords) =>
  openRow === undefined ? records.slice(0, -1) : records;

/**
 * What ends the records of a text: a line feed; or a carriage return, if there are some outside quotes, but no
 * line feed.
 *
 * @param separators what may separate fields: a quote counts only if a field begins with it.
 * @returns undefined if there is neither outside quotes.
 */
function rowEndOf(text: string, separators: readonly string[]): RowEnd | undefined {
  let [isBegin, isInside, isClosed, hasReturn] = [true, false, false, false];
  for (const character of text) {
    if (character === '"') {
      // One behind a closing quote makes both a quote in the field.
      [isInside, isClosed] = isInside ? [false, true] : [isBegin || isClosed, false];
      isBegin = false;
      continue;
    }
    isClosed = false;
    if (isInside) continue;
    if (character === "\n") return 10;
    if (character === "\r") hasReturn = true;
    isBegin = character === "\r" || separators.includes(character);
  }
  return hasReturn ? 13 : undefined;
}

/** @throws InputError if quotes are wrong, and not only because the sample ends. */
function requireQuotes(name: string, { openRow, misquotedRow }: CsvRecords, isWhole: boolean): void {
  if (misquotedRow !== undefined) throw textAfterQuote(name, misquotedRow);
  if (openRow !== undefined && isWhole) throw unclosedQuote(name, openRow);
}

function tooLong(name: string): InputError {
  return new InputError(
    `${name} has no end of a row in its first ${MOST_BYTES >> 20} MiB, so it has no columns`,
    {
      hint: "check that it is CSV, and that every quote is closed",
      options: ["by"],
    },
  );
}

/**
 * Whether the first record looks like a header: its fields are all different, none is empty, a number or a
 * date, and below one of them all values are numbers, or all are dates.
 *
 * @param form how numbers are written.
 */
export function looksLikeHeader({ records: [first, ...others] }: CsvSample, form?: NumberForm): boolean {
  if (first === undefined || others.length === 0) return false;
  const kinds = [number, date];
  const names = first.fields.map((field) => field.trim());
  if (new Set(names).size < names.length) return false;
  if (names.some((name) => kinds.some((kind) => isMissing(name, kind, []) || kind.fits(name, form))))
    return false;
  return names.some((_, column) => {
    const values = others.map(({ fields }) => fields[column]?.trim() ?? "");
    return kinds.some((kind) => {
      const own = values.filter((value) => !isMissing(value, kind, []));
      return own.length > 0 && own.every((value) => kind.fits(value, form));
    });
  });
}

/** What may separate fields. Of those that seem equally likely, the first one counts. */
const candidates = [",", ";", "\t", "|"];

/** How many records say which byte separates their fields. */
const MOST_RECORDS = 1000;

/** How well a byte separates the fields of records. */
interface Judged {
  readonly separator: string;
  /** The share of the records that have as many fields as most of them. */
  readonly share: number;
  /** How many fields these have. */
  readonly fields: number;
  readonly records: readonly CsvRecord[];
}

/**
 * Finds what separates the fields of records: the byte of comma, semicolon, tab and | with which the most of
 * them have the same number of fields, more than one. Of several, the one with the greater share of columns of
 * numbers or dates, which may have a decimal comma; then the one with more fields.
 *
 * @param text some records, the last one perhaps cut off.
 * @returns undefined if no byte separates fields, as RFC 4180 has them.
 */
function guessSeparator(text: string, terminator: string): string | undefined {
  const judged = candidates.flatMap((separator) => judge(text, separator, terminator) ?? []);
  const best = Math.max(...judged.map(({ share }) => share));
  const [first, ...others] = judged.filter(({ share }) => share === best);
  if (!first || others.length === 0) return first?.separator;
  return [first, ...others]
    .map((one) => ({ ...one, numbers: shareOfNumbers(one) }))
    .sort((a, b) => b.numbers - a.numbers || b.fields - a.fields)[0]!.separator;
}

function judge(text: string, separator: string, terminator: string): Judged | undefined {
  const split = splitCsv(text, { separator, terminator }, MOST_RECORDS);
  if (split.misquotedRow !== undefined) return undefined; // quotes would be wrong
  // The last record may be cut off.
  const isCut = !split.isComplete && split.openRow === undefined && split.records.length > 1;
  const records = isCut ? split.records.slice(0, -1) : split.records;
  const counts = new Map<number, number>();
  for (const { fields } of records) counts.set(fields.length, (counts.get(fields.length) ?? 0) + 1);
  const [fields = 1, count = 0] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [];
  return fields > 1 ? { separator, share: count / records.length, fields, records } : undefined;
}

/** The share of the columns that hold numbers or dates, apart from the first record, which may be a header. */
function shareOfNumbers({ records, fields }: Judged): number {
  const whole = records.filter((record) => record.fields.length === fields);
  const rows = whole.length > 1 ? whole.slice(1) : whole;
  let columns = 0;
  for (let column = 0; column < fields; column++) {
    const values = rows.map((row) => row.fields[column]!.trim()).filter((one) => !isMissing(one, number, []));
    const isNumber = (value: string) => number.fits(value, undefined) || number.fits(value, { point: 44 });
    if (values.length > 0 && values.every((one) => isNumber(one) || date.fits(one, undefined))) columns++;
  }
  return columns / fields;
}
