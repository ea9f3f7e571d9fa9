import { date, isMissing, number } from "./column_values.js";
import { type CsvRecord, splitCsv } from "./csv_records.js";

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
 * Finds what separates the fields of records: the byte of comma, semicolon, tab and | with which the most of them
 * have the same number of fields, more than one. Of several, the one with the greater share of columns of numbers
 * or dates, which may have a decimal comma; then the one with more fields.
 *
 * @param text some records, the last one perhaps cut off.
 * @returns undefined if no byte separates fields, as RFC 4180 has them.
 */
export function guessSeparator(text: string, terminator: string): string | undefined {
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
