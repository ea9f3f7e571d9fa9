import type { KeyBegin, KeyEnd, RowKey, RowOrder } from "../../src/rows/order/row_order.js";
import { foldBytes } from "./plain_folding.js";
import { compareNaturally } from "./plain_natural.js";

/**
 * The order of rows in plain JavaScript, slowly and obviously: the reference for the engine. Where a key is and
 * how it is compared is written after POSIX and the manual of GNU sort; test/rows/plain_rows.test.ts compares
 * it with GNU sort.
 */

/** Sorts texts as one. Every row of the result ends with the terminator. */
export function sortPlainly(
  texts: readonly Buffer[],
  order: RowOrder,
  { unique = false, header = false }: { readonly unique?: boolean; readonly header?: boolean } = {},
): Buffer {
  // Strings take less of the heap than buffers do, and are cut and compared faster.
  const all = texts.map((text) =>
    rowsIn(latin1(text), order).map((row) => ({ row, values: valuesOf(row, order) })),
  );
  const head = header ? (all[0]?.slice(0, 1) ?? []) : [];
  const read = all.flatMap((some) => some.slice(header ? 1 : 0));
  const compare = (a: (typeof read)[0], b: (typeof read)[0]) => compareKeys(a.values, b.values, order);
  const sorted = read.sort(compare); // stable, by ECMAScript 2019
  const kept = unique ? sorted.filter((one, i) => i === 0 || compare(sorted[i - 1]!, one) !== 0) : sorted;
  const terminator = String.fromCharCode(order.terminator);
  return Buffer.from([...head, ...kept].map(({ row }) => row + terminator).join(""), "latin1");
}

const QUOTE = 34;

/** The rows of a text, without their terminators. */
export const rowsOf = (text: Buffer, order: RowOrder): Buffer[] =>
  rowsIn(latin1(text), order).map((row) => Buffer.from(row, "latin1"));

function rowsIn(text: string, { terminator, separator, quotes }: RowOrder): string[] {
  const rows: string[] = [];
  let begin = 0;
  let isQuoted = false;
  let fieldBegins = true;
  for (let i = 0; i < text.length; i++) {
    const byte = text.charCodeAt(i);
    if (quotes && byte === QUOTE && (isQuoted || fieldBegins)) {
      if (isQuoted && text.charCodeAt(i + 1) === QUOTE) i++;
      else isQuoted = !isQuoted;
      fieldBegins = false;
    } else if (!isQuoted && byte === terminator) {
      rows.push(text.slice(begin, i));
      begin = i + 1;
      fieldBegins = true;
    } else fieldBegins = !isQuoted && byte === separator;
  }
  if (isQuoted) throw new Error(`the quote in row ${rows.length + 1} is not closed`);
  if (begin < text.length) rows.push(text.slice(begin));
  return rows;
}

/** What rows are compared by if no key is named. */
const WHOLE_ROW: RowKey = { begin: { field: 0, offset: 0 }, compare: "bytes" };

/** What the keys of a row say. A sort compares a row many times, so they are read once. */
const valuesOf = (row: string, order: RowOrder): readonly Value[] =>
  order.keys.length === 0
    ? [{ invalid: undefined, read: row }]
    : order.keys.map((key) => readKey(keyIn(row, key, order), key));

function compareKeys(a: readonly Value[], b: readonly Value[], { keys }: RowOrder): number {
  for (let i = 0; i < a.length; i++) {
    const found = compareValues(a[i]!, b[i]!, keys[i] ?? WHOLE_ROW);
    if (found !== 0) return found;
  }
  return 0;
}

/** Compares rows: negative if the first one goes first, 0 if all their keys are equal. */
export function rowComparison(order: RowOrder): (a: Buffer, b: Buffer) => number {
  const known = new Map<Buffer, readonly Value[]>();
  const read = (row: Buffer) => {
    let values = known.get(row);
    if (values === undefined) {
      values = valuesOf(latin1(row), order);
      known.set(row, values);
    }
    return values;
  };
  return (a, b) => compareKeys(read(a), read(b), order);
}

/** The rows of a text whose keys have no value that does not fit: a device leaves the others to the CPU. */
export function withoutMisfits(text: Buffer, order: RowOrder): Buffer {
  const fits = (row: string) =>
    order.keys.every((key) => {
      const { invalid } = readKey(keyIn(row, key, order), key);
      return invalid === undefined || invalid === MISSING;
    });
  const kept = rowsIn(latin1(text), order).filter(fits);
  return Buffer.from(kept.map((row) => row + String.fromCharCode(order.terminator)).join(""), "latin1");
}

/** The bytes of a row that are its key. */
export const keyOf = (row: Buffer, key: RowKey, order: RowOrder): Buffer =>
  Buffer.from(keyIn(latin1(row), key, order), "latin1");

function keyIn(row: string, { begin, end }: RowKey, order: RowOrder): string {
  if (order.quotes) return quotedField(row, begin, end, order);
  const from = beginOf(row, begin, order);
  const to = end === undefined ? row.length : endOf(row, end, order);
  return row.slice(from, Math.max(from, to));
}

function beginOf(row: string, { field, offset, skipBlanks }: KeyBegin, order: RowOrder): number {
  const at = fieldAt(row, field, order);
  return Math.min(row.length, (skipBlanks ? withoutBlanks(row, at) : at) + offset);
}

/** Bytes are counted from the begin of the field, and may lie in the fields after it. */
function endOf(row: string, { field, bytes, skipBlanks }: KeyEnd, order: RowOrder): number {
  const at = fieldAt(row, field, order);
  if (bytes === undefined) return fieldEnd(row, at, order);
  return Math.min(row.length, (skipBlanks ? withoutBlanks(row, at) : at) + bytes);
}

/** Where a field begins; the end of the row if it has fewer fields. */
function fieldAt(row: string, field: number, order: RowOrder): number {
  let at = 0;
  for (let i = 0; i < field && at < row.length; i++) {
    at = fieldEnd(row, at, order);
    if (order.separator !== undefined && at < row.length) at++;
  }
  return at;
}

function fieldEnd(row: string, at: number, { separator }: RowOrder): number {
  let end = separator === undefined ? withoutBlanks(row, at) : at;
  const isEnd = (byte: number) => (separator === undefined ? isBlank(byte) : byte === separator);
  while (end < row.length && !isEnd(row.charCodeAt(end))) end++;
  return end;
}

/** A line feed is a blank too, where it ends no row. */
const isBlank = (byte: number) => byte === 32 || byte === 9 || byte === 10;

function withoutBlanks(row: string, at: number): number {
  let from = at;
  while (from < row.length && isBlank(row.charCodeAt(from))) from++;
  return from;
}

/** The contents of a field that may be quoted. Only whole fields are keys of such rows. */
function quotedField(row: string, begin: KeyBegin, end: KeyEnd | undefined, { separator }: RowOrder): string {
  if (begin.offset > 0 || end?.field !== begin.field || end.bytes !== undefined) {
    throw new Error("only whole fields are keys of rows with quotes");
  }
  const ending = row.endsWith("\r") ? row.length - 1 : row.length;
  let contents = "";
  let field = 0;
  let isQuoted = false;
  let fieldBegins = true;
  const take = (at: number) => {
    if (field === begin.field) contents += row[at];
    fieldBegins = false;
  };
  for (let i = 0; i < ending && field <= begin.field; i++) {
    const byte = row.charCodeAt(i);
    if (byte === QUOTE && (isQuoted || fieldBegins)) {
      if (isQuoted && row.charCodeAt(i + 1) === QUOTE) take(i++);
      else isQuoted = !isQuoted;
      fieldBegins = false;
    } else if (!isQuoted && byte === separator) {
      field++;
      fieldBegins = true;
    } else take(i);
  }
  return contents;
}

/** In the place of a text: a key has no value. */
const MISSING = Symbol();

/** What `comparisons` reads; or, where that has a place of its own, no value, or bytes that do not fit. */
interface Value {
  readonly invalid: typeof MISSING | string | undefined;
  readonly read: unknown;
}

function readKey(bytes: string, key: RowKey): Value {
  const { compare, nullWords = [] } = key;
  const read = comparisons[compare].read(bytes, key);
  if (key.invalid === undefined || compare === "bytes") return { invalid: undefined, read };
  const text = (compare === "number" ? withoutReturn(bytes) : bytes).replace(/^[ \t\n]+|[ \t\n]+$/g, "");
  const isMissing = text === "" || (compare === "number" && /^[+-]?nan$/i.test(text));
  const isNull = nullWords.some((word) => Buffer.from(word).toString("latin1") === text);
  if (isNull) return { invalid: MISSING, read };
  if (compare === "number" ? read !== undefined : isNumber(bytes, compare))
    return { invalid: undefined, read };
  return { invalid: isMissing ? MISSING : bytes, read };
}

function compareValues(a: Value, b: Value, { compare, descending, invalid }: RowKey): number {
  const rank = ({ invalid: is }: Value) =>
    is === undefined ? (invalid === "last" ? 0 : 3) : is === MISSING ? 1 : 2;
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (a.invalid === MISSING) return 0;
  if (a.invalid !== undefined) return compareText(a.invalid, b.invalid as string);
  const found = comparisons[compare].order(a.read, b.read);
  return descending ? -found : found;
}

/** How keys are read, and how what was read is compared. */
interface Comparison<T = unknown> {
  read(bytes: string, key: RowKey): T;
  order(a: T, b: T): number;
}

const by = <T>(read: Comparison<T>["read"], order: Comparison<T>["order"]) =>
  ({ read, order }) as Comparison<unknown>;

const comparisons: Record<RowKey["compare"], Comparison> = {
  bytes: by(comparedBytes, compareText),
  number: by(numberOf, compareNumbers),
  decimal: by(decimalOf, compareDecimals),
  human: by(
    (bytes, key) => ({ unit: unitOf(comparedBytes(bytes, key)), number: decimalOf(bytes) }),
    (a, b) => a.unit - b.unit || compareDecimals(a.number, b.number),
  ),
  float: by(floatOf, compareFloats),
  month: by(monthOf, (a, b) => a - b),
  date: by(dateOf, compareDates),
  natural: by(comparedBytes, compareNaturally),
  nocase: by((bytes) => latin1(foldBytes(Buffer.from(bytes, "latin1"))), compareText),
};

function comparedBytes(bytes: string, { foldCase, ignore }: RowKey): string {
  const ignored = { punctuation: /[^A-Za-z0-9 \t\n]/g, nonprinting: /[^ -~]/g };
  const kept = ignore ? bytes.replace(ignored[ignore], "") : bytes;
  return foldCase ? kept.replace(/[a-z]+/g, (letters) => letters.toUpperCase()) : kept;
}

const latin1 = (bytes: Buffer) => bytes.toString("latin1");

/** Whether a key begins with a number. */
function isNumber(bytes: string, compare: RowKey["compare"]): boolean {
  if (compare === "float") return /^\s*[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)\s*$/i.test(bytes);
  if (compare === "month") return monthOf(bytes) > 0;
  if (compare === "date") return dateOf(bytes) !== undefined;
  return /^[ \t\n]*-?(\d+\.?\d*|\.\d+)[ \t\n]*$/.test(bytes);
}

/** A decimal number of any length: its digits without zeros at either end. */
interface Decimal {
  readonly sign: number;
  readonly whole: string;
  readonly fraction: string;
}

function decimalOf(bytes: string): Decimal {
  const [, minus, digits = "", more = ""] = /^[ \t\n]*(-?)(\d*)(?:\.(\d*))?/.exec(bytes)!;
  const whole = digits.replace(/^0+/, "");
  const fraction = more.replace(/0+$/, "");
  return { sign: whole + fraction === "" ? 0 : minus === "-" ? -1 : 1, whole, fraction };
}

function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.sign !== b.sign) return a.sign - b.sign;
  const size =
    a.whole.length - b.whole.length || compareText(a.whole, b.whole) || compareText(a.fraction, b.fraction);
  return a.sign * size;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A number of any length: 0.ddd… times ten to a power, without zeros at either end of its digits. */
interface ExactNumber {
  readonly sign: number;
  readonly power: bigint | "infinite";
  readonly digits: string;
}

/** Lines of numbers may end with CRLF. */
const withoutReturn = (bytes: string) => (bytes.endsWith("\r") ? bytes.slice(0, -1) : bytes);

function numberOf(bytes: string, { form }: RowKey): ExactNumber | undefined {
  const text = withoutReturn(bytes).replace(/^[ \t\n]+|[ \t\n]+$/g, "");
  const [point, thousands] = [form?.point ?? 46, form?.thousands].map((byte) =>
    byte === undefined ? "" : `\\x${byte.toString(16).padStart(2, "0")}`,
  );
  const grouped = thousands === "" ? "" : `|\\d{1,3}(?:${thousands}\\d{3})+`;
  const parts = new RegExp(
    `^([+-]?)(?:(inf(?:inity)?)|(?:(\\d+${grouped})(?:${point}(\\d*))?|${point}(\\d+))(?:e([+-]?\\d+))?)$`,
    "i",
  ).exec(text);
  if (!parts) return undefined;
  const [, minus, infinity, whole = "", decimals, alone, exponent = "0"] = parts;
  const sign = minus === "-" ? -1 : 1;
  if (infinity) return { sign, power: "infinite", digits: "" };
  if (/[1-9]\d{18}/.test(exponent.replace(/^[+-]?0*/, ""))) return undefined;
  const integers = whole.replace(/\D/g, "");
  const all = integers + (decimals ?? alone ?? "");
  const digits = all.replace(/^0+/, "");
  if (digits === "") return { sign: 0, power: 0n, digits };
  const power = BigInt(integers.length - (all.length - digits.length)) + BigInt(exponent);
  return { sign, power, digits: digits.replace(/0+$/, "") };
}

/** What is no number goes first. */
function compareNumbers(a: ExactNumber | undefined, b: ExactNumber | undefined): number {
  if (!a || !b) return Number(a !== undefined) - Number(b !== undefined);
  if (a.sign !== b.sign) return a.sign - b.sign;
  const [first, second] = [Number(a.power === "infinite"), Number(b.power === "infinite")];
  const power = a.power === b.power ? 0 : first !== second ? first - second : a.power < b.power ? -1 : 1;
  return a.sign * (power || compareText(a.digits, b.digits));
}

/** K is 1, M is 2, …; negative for negative numbers; 0 for 0 and without a unit. */
function unitOf(bytes: string): number {
  const [, number = "", unit = ""] = /^[ \t\n]*(-?\d*(?:\.\d*)?)(.?)/s.exec(bytes)!;
  if (!/[1-9]/.test(number)) return 0;
  const power = unit === "k" ? 1 : "KMGTPEZYRQ".indexOf(unit || "?") + 1;
  return number.startsWith("-") ? -power : power;
}

/** A key as `strtod` reads it; undefined if it reads none. */
function floatOf(bytes: string): number | undefined {
  const text = bytes.replace(/^[ \t\n\v\f\r]+/, "");
  const [, sign = "", rest = ""] = /^([+-]?)(.*)$/s.exec(text)!;
  const size = magnitude(rest);
  return size === undefined || sign !== "-" ? size : -size;
}

function magnitude(text: string): number | undefined {
  if (/^nan/i.test(text)) return Number.NaN;
  if (/^inf/i.test(text)) return Number.POSITIVE_INFINITY;
  const hex = /^0x([0-9a-f]*)(?:\.([0-9a-f]*))?(?:p([+-]?\d+))?/i.exec(text);
  if (hex && `${hex[1]}${hex[2] ?? ""}` !== "") {
    const [, whole = "", fraction = "", power = "0"] = hex;
    return Number.parseInt(`${whole}${fraction}`, 16) * 2 ** (Number(power) - 4 * fraction.length);
  }
  const decimal = /^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/i.exec(text);
  return decimal ? Number(decimal[0]) : undefined;
}

/** What is no number goes first, then NaNs, which are equal, then numbers. */
function compareFloats(a: number | undefined, b: number | undefined): number {
  const rank = (value: number | undefined) => (value === undefined ? 0 : Number.isNaN(value) ? 1 : 2);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  return rank(a) < 2 || a === b ? 0 : a! < b! ? -1 : 1;
}

const MONTHS = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";

/** 1 for January; 0 for what is no month. */
function monthOf(bytes: string): number {
  const [, letters] = /^[ \t\n]*([a-z]{3})/i.exec(bytes) ?? [];
  const at = letters === undefined ? -1 : MONTHS.indexOf(letters.toUpperCase());
  return at >= 0 && at % 3 === 0 ? at / 3 + 1 : 0;
}

/** A point in time: milliseconds in UTC of its second, and the digits of the fraction. */
interface Instant {
  readonly second: number;
  readonly fraction: string;
}

const day = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?|(\d\d)(\d\d))/.source.slice(1);
const zone = / ?(?:(z)|([+-])(\d\d)(?::?(\d\d))?)/.source;
const extended = `T(\\d\\d):(\\d\\d)(?::(\\d\\d)(?:[.,](\\d+))?)?(?:${zone})?`.replace("T", "[T ]");
const basic = extended
  .replaceAll("(\\d\\d):(\\d\\d)", "(\\d\\d)(\\d\\d)")
  .replace("(?::(\\d\\d)(?:[.,]", "(?:(\\d\\d)(?:[.,]");

/** The time of an ISO date; undefined for what is none. */
function dateOf(bytes: string): Instant | undefined {
  const text = bytes.replace(/^[ \t\n]+|[ \t\n]+$/g, "");
  const [whole, year, month = "", dayOfMonth = "01", basicMonth = "", basicDay] =
    new RegExp(`^${day}`).exec(text) ?? [];
  if (whole === undefined) return undefined;
  const isBasic = basicDay !== undefined;
  const rest = text.slice(whole.length);
  const time = new RegExp(`^${isBasic ? basic : extended}$`, "i").exec(rest);
  if (rest !== "" && (!time || whole.length === 7)) return undefined;
  const [
    ,
    hour = "0",
    minute = "0",
    seconds = "0",
    fraction = "",
    ,
    sign,
    zoneHours = "0",
    zoneMinutes = "0",
  ] = time ?? [];
  const [y, m, d] = [year!, isBasic ? basicMonth : month, isBasic ? basicDay : dayOfMonth].map(Number) as [
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(y, m - 1, d);
  if (date.getUTCMonth() !== m - 1 || date.getUTCDate() !== d) return undefined;
  const [h, min, s, zh, zm] = [hour, minute, seconds, zoneHours, zoneMinutes].map(Number) as number[];
  if (h! > 24 || min! > 59 || s! > 60 || zh! > 23 || zm! > 59 || (h === 24 && min! + s! > 0))
    return undefined;
  const ahead = (sign === "-" ? -1 : 1) * (zh! * 60 + zm!);
  return {
    second: date.getTime() + ((h! * 60 + min! - ahead) * 60 + s!) * 1000,
    fraction: fraction.replace(/0+$/, ""),
  };
}

/** What is no date goes first. */
function compareDates(a: Instant | undefined, b: Instant | undefined): number {
  if (!a || !b) return Number(a !== undefined) - Number(b !== undefined);
  return a.second - b.second || compareText(a.fraction, b.fraction);
}
