/** How records of CSV are told apart: the characters between two fields, and at the end of a record. */
export interface CsvCharacters {
  readonly separator: string;
  readonly terminator: string;
}

/** A record of CSV. */
export interface CsvRecord {
  /** Its number among all records of the text, blank ones included, from 1. */
  readonly row: number;
  /** Its fields, without their quotes. */
  readonly fields: readonly string[];
}

/** The records that a text begins with. */
export interface CsvRecords {
  /** Those that are not blank. */
  readonly records: readonly CsvRecord[];
  /** The record in which the text ends within quotes; undefined if it does not. */
  readonly openRow: number | undefined;
  /** The first record in which text follows the closing quote of a field. */
  readonly misquotedRow: number | undefined;
  /** Whether the text ends with the end of a record, or has as many records as were asked for. */
  readonly isComplete: boolean;
}

/**
 * Splits a text into records as RFC 4180 defines them, and as assembly/rows/find.ts does: a quote counts only
 * if a field begins with it, and a carriage return at the end of a record does not belong to it.
 *
 * @param most the most records.
 */
export function splitCsv(text: string, { separator, terminator }: CsvCharacters, most: number): CsvRecords {
  const records: CsvRecord[] = [];
  let misquotedRow: number | undefined;
  let fields: string[] = [];
  let row = 1;
  let at = 0;
  while (at < text.length && records.length < most) {
    const isQuoted = text[at] === '"';
    let value = "";
    if (isQuoted) {
      const quoted = readQuoted(text, at);
      if (!quoted) return { records, openRow: row, misquotedRow, isComplete: false };
      [value, at] = quoted;
    }
    const end = endOfField(text, at, separator, terminator);
    const isLast = text[end] !== separator;
    const plain = text.slice(at, isLast && text[end - 1] === "\r" && end > at ? end - 1 : end);
    if (isQuoted && plain !== "") misquotedRow ??= row;
    fields.push(isQuoted ? value : plain);
    at = end + 1;
    if (!isLast && at < text.length) continue;
    if (!isLast) fields.push("");
    if (fields.length > 1 || fields[0] !== "") records.push({ row, fields });
    fields = [];
    row++;
  }
  return { records, openRow: undefined, misquotedRow, isComplete: text[at - 1] === terminator };
}

/** The contents of a quoted field that begins at a place, and the place after it; undefined if it is open. */
function readQuoted(text: string, begin: number): [value: string, end: number] | undefined {
  let value = "";
  for (let from = begin + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return undefined;
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return [value, quote + 1];
    value += '"';
    from = quote + 2;
  }
}

function endOfField(text: string, from: number, separator: string, terminator: string): number {
  let at = from;
  while (at < text.length && text[at] !== separator && text[at] !== terminator) at++;
  return at;
}
