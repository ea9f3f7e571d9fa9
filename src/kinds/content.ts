import { beginsWithMark, UTF8_MARK, withoutMark } from "../core/bytes.js";
import { elementTypes } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { typedPath } from "../core/names.js";
import { settleAll } from "../core/settle_all.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import type { InputFile } from "../files/input_file.js";
import { kindOfPath } from "./names.js";

/** A file is read in pieces of this many bytes, several at a time. */
const PIECE_BYTES = 1 << 20;
const PIECES = 4;

/**
 * Makes sure that an input is text if nothing but its contents can say so: no byte of it, from the first to the
 * last, is 0. Text has none in any encoding but UTF-16 and UTF-32; of random keys of 4 bytes, 300 are enough to
 * have one with a probability of 99%.
 *
 * @returns the input. A stream is tested while it is read.
 * @throws InputError that names the first byte 0 and the ways to say what the input holds.
 */
export async function requireText(input: InputFile): Promise<InputFile> {
  const { name, read, byteLength } = input;
  const test = (bytes: Uint8Array, offset: number) => {
    const at = bytes.indexOf(0);
    if (at >= 0) throw notText(name, offset + at);
  };
  if (!read || byteLength === undefined) {
    let offset = 0;
    return {
      name,
      byteLength,
      stats: input.stats,
      peek: (count) => input.peek(count),
      next: async (into) => {
        const bytes = await input.next(into);
        test(into.subarray(0, bytes), offset);
        offset += bytes;
        return bytes;
      },
      checkUnchanged: () => input.checkUnchanged(),
      close: () => input.close(),
    };
  }
  const pieces = Array.from({ length: PIECES }, () => new Uint8Array(Math.min(PIECE_BYTES, byteLength)));
  for (let at = 0; at < byteLength; at += PIECES * PIECE_BYTES) {
    const parts = pieces.flatMap((piece, i) => {
      const offset = at + i * PIECE_BYTES;
      const bytes = piece.subarray(0, Math.max(0, Math.min(PIECE_BYTES, byteLength - offset)));
      return bytes.length === 0 ? [] : [{ bytes, offset }];
    });
    await settleAll(parts.map(({ bytes, offset }) => read.call(input, bytes, offset)));
    for (const { bytes, offset } of parts) test(bytes, offset);
  }
  return input;
}

function notText(name: string, at: number): InputError {
  const types = elementTypes.map((type) => type.name).join(", ");
  return new InputError(`${name} is no text, as byte ${at + 1} is 0, and nothing says what it holds`, {
    hint: `name the type of its keys: ${types}; or the format lines if it is text nevertheless; text in UTF-16 must be converted first`,
    options: ["type", "format"],
  });
}

/** What an input begins as is decided by this many of its first bytes. */
export const HEAD_BYTES = 4096;

/** Whether an input begins as text: see `isTextual`. */
export async function beginsAsText(input: ByteInput): Promise<boolean> {
  return isTextual(await input.peek(HEAD_BYTES));
}

/**
 * Whether bytes are printable characters, spaces and line breaks alone: UTF-8, or at least three quarters of
 * ASCII. Four bytes of random keys are once in 100 times, eight once in 10,000 times.
 */
export function isTextual(head: Uint8Array): boolean {
  const isPrintable = (byte: number) => (byte >= 0x20 && byte !== 0x7f) || (byte >= 0x09 && byte <= 0x0d);
  if (head.length === 0 || !head.every(isPrintable)) return false;
  const others = head.reduce((count, byte) => count + (byte > 0x7f ? 1 : 0), 0);
  return 4 * others <= head.length || isUtf8(head);
}

/** Whether bytes are UTF-8, whose last character may be cut off. */
export function isUtf8(head: Uint8Array): boolean {
  try {
    // With "stream", a character that the end splits is left out instead of being an error.
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** This many of the first bytes give the first guess of what the lines of a text are. */
const SAMPLE_BYTES = 1 << 16;

/** A number as people write it: with a sign, a fraction and an exponent, infinite, or none. */
const number = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|inf|infinity|nan)$/i;

/** The first lines of a text: how many are numbers, and the first one that is none. */
export interface NumberSample {
  /** Lines that are not blank. */
  readonly lines: number;
  readonly numbers: number;
  /** The first line that is no number, and its place from 1; undefined if all are. */
  readonly other: { readonly line: number; readonly text: string } | undefined;
  /** Whether the input has no more lines than these. */
  readonly isWhole: boolean;
}

/** Whether lines seem to be numbers: at least half of the first ones are. */
export const areMostlyNumbers = ({ lines, numbers }: Pick<NumberSample, "lines" | "numbers">) =>
  2 * numbers >= lines;

/** Bytes as text of which each character is a byte. */
export const latin1Of = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString("latin1");

/** Counts the numbers among the first lines of an input. @param header whether the first line is left out. */
export async function sampleNumbers(input: ByteInput, header = false): Promise<NumberSample> {
  const head = await input.peek(SAMPLE_BYTES);
  const lines = latin1Of(withoutMark(head)).split("\n");
  const isWhole = head.length < SAMPLE_BYTES;
  if (!isWhole && lines.length > 1) lines.pop(); // its end was not read
  let [filled, numbers] = [0, 0];
  let other: NumberSample["other"];
  for (const [i, line] of lines.entries()) {
    const value = line.replace(/^[ \t]+|[ \t\r]+$/g, "");
    if (value === "" || (header && i === 0)) continue;
    filled++;
    if (number.test(value)) numbers++;
    else other ??= { line: i + 1, text: value };
  }
  return { lines: filled, numbers, other, isWhole };
}

/** Skips the byte order mark of UTF-8. @returns whether there was one. */
export async function skipByteOrderMark(input: ByteInput): Promise<boolean> {
  const hasMark = beginsWithMark(await input.peek(UTF8_MARK.length));
  if (hasMark) await input.next(new Uint8Array(UTF8_MARK.length));
  return hasMark;
}

/** Whether an input is lines of JSON: its name says so, or it begins with an object, as no CSV does. */
export async function holdsJsonLines(input: ByteInput): Promise<boolean> {
  return kindOfPath(input.name)?.isJson === true || (await beginsAsJson(input)) === "object";
}

/** Whether an input begins with an object of JSON, or with an array of objects. */
async function beginsAsJson(input: ByteInput): Promise<"object" | "array" | undefined> {
  const head = latin1Of(await input.peek(HEAD_BYTES));
  const found = /^\s*(\[\s*)?\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\})/.exec(head);
  return found ? (found[1] ? "array" : "object") : undefined;
}

/** An input in a command to be typed: FILE stands for a stream, too. */
export const typedName = ({ name, byteLength }: ByteInput) =>
  byteLength === undefined ? "FILE" : typedPath(name);

/** Columns to sort by. */
export type JsonColumns = readonly { readonly column: string; readonly descending?: boolean | undefined }[];

/**
 * How to sort an input of JSON by columns, or to check it: gpusort has columns of JSON only if it becomes
 * Parquet.
 *
 * @param command what writes one object on each line, if that must be done first.
 */
export function jsonColumnsHint(input: ByteInput, by: JsonColumns, command?: string): string {
  const columns = by.map(({ column, descending }) => {
    // Behind the name of its table, a name may be a keyword, such as order.
    const name = /^[a-z_]\w*$/i.test(column) ? `t.${column}` : "COLUMN";
    return descending ? `${name} DESC` : name;
  });
  const query = `SELECT * FROM read_json('${typedName(input)}') t ORDER BY ${columns.join(", ")}`;
  return [
    `gpusort sorts them to sorted.parquet, and checks columns there${command ? `, after ${command}` : ""};`,
    `DuckDB sorts them as JSON: duckdb -c "COPY (${query}) TO 'sorted.jsonl' (FORMAT json)"`,
  ].join(" ");
}

/** A command that writes values of JSON, or those of an array, one on each line. */
const jqCommand = (input: ByteInput, isArray: boolean) =>
  `jq -c ${isArray ? "'.[]'" : "."} ${typedName(input)} > rows.jsonl`;

/** @throws InputError if an input that is to have columns begins with an array of JSON, which has no rows. */
export async function refuseJsonArray(input: ByteInput, by: JsonColumns): Promise<void> {
  if ((await beginsAsJson(input)) !== "array") return;
  throw new InputError(`${input.name} begins as an array of JSON, which has no rows`, {
    hint: `${jsonColumnsHint(input, by, jqCommand(input, true))}; if it is CSV, name the format csv`,
    options: ["format"],
  });
}

/**
 * @param by the columns to sort by, if there are some.
 * @throws InputError if the first line of an input of JSON ends within a value.
 */
export async function refuseJsonOfSeveralLines(input: ByteInput, by?: JsonColumns): Promise<void> {
  const head = await input.peek(HEAD_BYTES);
  const [, line] = /^\s*(.*)[\r\n]/.exec(latin1Of(withoutMark(head))) ?? [];
  if (line === undefined || !endsWithinJson(line)) return;
  const command = jqCommand(input, line.startsWith("["));
  const way = by ? jsonColumnsHint(input, by, command) : `write one value on each line: ${command}`;
  throw new InputError(`${input.name} has JSON of several lines, not a value on each`, {
    hint: `${way}; or name the format ${by ? "csv" : "lines"}`,
    options: ["format"],
  });
}

/** Whether a line opens more objects and arrays of JSON than it closes. */
function endsWithinJson(line: string): boolean {
  const marks = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
  return marks.replaceAll(/[^[{]/g, "").length > marks.replaceAll(/[^\]}]/g, "").length;
}

/** The first and last bytes of a Parquet file, and those of one whose footer is encrypted. */
const [PLAIN, ENCRYPTED] = ["PAR1", "PARE"];
const MAGIC_BYTES = 4;
/** The smallest file: both marks, the length of the footer, and a footer of one byte. */
const LEAST_BYTES = 3 * MAGIC_BYTES + 1;

/** The first and the last four bytes of an input. A stream shows the first ones alone. */
async function endsOf(file: InputFile): Promise<readonly [first: string, last: string | undefined]> {
  const first = latin1Of(await file.peek(MAGIC_BYTES));
  if (!file.read || file.byteLength === undefined) return [first, undefined];
  const last = new Uint8Array(Math.min(MAGIC_BYTES, file.byteLength));
  await file.read(last, file.byteLength - last.length);
  return [first, latin1Of(last)];
}

/** Whether either end of an input says that it is a Parquet file. */
export async function hasParquetEnd(file: InputFile): Promise<boolean> {
  return (await endsOf(file)).some((end) => end === PLAIN || end === ENCRYPTED);
}

/**
 * Refuses a file that is no whole Parquet file, of which DuckDB would read some: only the end is read.
 *
 * @throws InputError that says what is wrong with the file.
 */
export async function requireParquet(file: InputFile): Promise<void> {
  const { name, byteLength } = file;
  const [first, last] = await endsOf(file);
  const wrong = (what: string, hint: string) => new InputError(`${name} ${what}`, { hint });
  if (first === ENCRYPTED || last === ENCRYPTED) throw wrong("is encrypted", "decrypt it first");
  if (byteLength === 0) throw wrong("is empty, so it is no Parquet file", "write it again");
  const ends = [first, last].filter((end) => end === PLAIN).length;
  if (ends === 0) throw wrong("is no Parquet file: neither end of it says so", "check what it is");
  if (last !== undefined && (last !== PLAIN || byteLength! < LEAST_BYTES))
    throw wrong("is cut short: it does not end as a Parquet file does", "copy or write it again");
  if (first !== PLAIN) throw wrong("is damaged: it does not begin as a Parquet file does", "copy it again");
}
