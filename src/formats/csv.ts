import { InputError } from "../core/errors.js";
import type { ByteInput } from "../core/streams/byte_stream.js";

/** The first rows of a table in CSV or TSV. */
export interface CsvSample {
  /** The name of the input, for messages. */
  readonly name: string;
  /** The byte between two fields. */
  readonly separator: number;
  /** The names of the columns; undefined if the input is empty, or has no header. */
  readonly names: readonly string[] | undefined;
  /** The fields of the first rows after the header, without their quotes. Empty rows are left out. */
  readonly rows: readonly (readonly string[])[];
  /** The number of the line that each row ends in, from 1. */
  readonly lines: readonly number[];
}

/** How many rows are read to guess what a column holds. */
const SAMPLE_ROWS = 1000;

/** Where to find them: rows are rarely as long as this, on average 1 KiB. */
const SAMPLE_BYTES = 1 << 20;

/**
 * Reads the first rows of an input, which can still be read afterwards.
 *
 * @param separator the byte between two fields. Default: a tab if the name ends in .tsv, else the one of
 *   comma, semicolon, tab and | that the first line has most of.
 * @throws InputError if a quote is not closed, or if the header is too long.
 */
export async function readCsvSample(
  input: ByteInput,
  header: boolean,
  separator: number | undefined,
): Promise<CsvSample> {
  const head = Buffer.from(await input.peek(SAMPLE_BYTES));
  const isWhole = head.length < SAMPLE_BYTES;
  const between = separator ?? guessSeparator(input.name, head);
  const { parse } = await import("csv-parse/sync"); // few sorts need it
  const rows: string[][] = [];
  const lines: number[] = [];
  const wanted = SAMPLE_ROWS + (header ? 1 : 0);
  try {
    parse(head, {
      bom: true,
      delimiter: String.fromCharCode(between),
      record_delimiter: ["\r\n", "\n"],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      to: wanted,
      on_record: (record: string[], { lines: last }) => {
        rows.push(record);
        lines.push(last);
        return null;
      },
    });
  } catch (cause) {
    requireCut(input.name, cause, isWhole, (lines.at(-1) ?? 0) + 1);
  }
  // The end of the last row was not read.
  if (!isWhole && rows.length < wanted) rows.pop();
  if (!isWhole && rows.length === 0) {
    throw new InputError(`${input.name} has no line break in its first MiB, so it has no columns`, {
      hint: "check that it is CSV, and that every quote is closed",
      options: ["by"],
    });
  }
  const names = header ? rows.shift() : undefined;
  return { name: input.name, separator: between, names, rows, lines: lines.slice(header ? 1 : 0) };
}

/**
 * @param line the number of the line in which the row begins that could not be read.
 * @throws InputError unless a quote is open only because the sample ends.
 */
function requireCut(name: string, cause: unknown, isWhole: boolean, line: number): void {
  const isOpen = (cause as { code?: string }).code === "CSV_QUOTE_NOT_CLOSED";
  if (isOpen && !isWhole) return;
  // The parser's own message names the line in which the input ends.
  const problem = isOpen ? `a quote in the row from line ${line} on is not closed` : (cause as Error).message;
  throw new InputError(`${name} is no CSV: ${problem}`, {
    hint: `check the quotes from line ${line} on`,
    options: ["by"],
    cause,
  });
}

const candidates = [",", ";", "\t", "|"];

function guessSeparator(name: string, head: Buffer): number {
  if (/\.tsv$/i.test(name)) return 9;
  const end = head.indexOf(10);
  const line = head
    .subarray(0, end < 0 ? undefined : end)
    .toString("latin1")
    .replace(/"[^"]*"/g, "");
  const counts = candidates.map((one) => line.split(one).length);
  return candidates[counts.indexOf(Math.max(...counts))]!.charCodeAt(0);
}
