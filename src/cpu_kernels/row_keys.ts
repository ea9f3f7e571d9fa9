import { QUOTE } from "../core/rows/quote.js";

/**
 * Where the keys of rows are, and their words: as wgsl/shared/row_fields/ and wgsl/shared/row_words.wgsl, on
 * bytes and whole numbers.
 */

/** A key as words of an order: see assembly/rows/order.ts. */
interface KeyWords {
  readonly beginField: number;
  readonly beginOffset: number;
  readonly beginBlanks: boolean;
  readonly ending: number;
  readonly endField: number;
  readonly endBytes: number;
  readonly endBlanks: boolean;
  readonly isBytes: boolean;
  readonly isFloat: boolean;
  readonly descending: boolean;
  readonly invalid: number;
  readonly required: boolean;
}

/** A word of a key, and whether it goes on. */
export interface ReadWord {
  readonly word: bigint;
  readonly more: boolean;
  /** Whether it is a hexadecimal number, which is not read. */
  readonly unread?: boolean;
}

const HEAD_WORDS = 8;
const KEY_WORDS = 12;
const NONE = 0xffff_ffff;
const Ending = { row: 0, separator: 1, blank: 2 } as const;
const INVALID_FIRST = 1;
const INVALID_REPORTED = 3;
const ALL = (1n << 64n) - 1n;

/** The keys of a text's rows. */
export class RowKeys {
  readonly #text: Uint8Array;
  readonly #separator: number;
  readonly #quotes: boolean;
  readonly keys: readonly KeyWords[];

  /** @param order the words of an order; `variants` of the kernel that reads the keys. */
  constructor(text: Uint32Array, order: Uint32Array, variants: Readonly<Record<string, string>>) {
    this.#text = new Uint8Array(text.buffer, text.byteOffset, text.byteLength);
    const [, separator = NONE, , count = 0] = order;
    this.#separator = separator;
    this.#quotes = variants.row_fields === "tables";
    this.keys = Array.from({ length: count }, (_, i) => {
      const at = HEAD_WORDS + i * KEY_WORDS;
      const word = (n: number) => order[at + n]!;
      return {
        beginField: word(0),
        beginOffset: word(1),
        beginBlanks: word(2) !== 0,
        ending: word(3),
        endField: word(4),
        endBytes: word(5),
        endBlanks: word(6) !== 0,
        isBytes: word(7) === 0,
        isFloat: word(7) === 3,
        descending: word(9) !== 0,
        invalid: word(10),
        required: word(11) !== 0,
      };
    });
  }

  /** The bytes of a key of the row from `begin` up to `next`. */
  bytes(number: number, begin: number, next: number): Uint8Array {
    const key = this.keys[number]!;
    const row = this.#content(begin, next);
    if (this.#quotes) return quotedField(row, key.beginField, this.#separator) ?? row.subarray(row.length);
    let from = this.#field(row, key.beginField);
    if (key.beginBlanks) from = skip(row, from, isBlank);
    from = Math.min(row.length, from + key.beginOffset);
    return row.subarray(from, Math.max(from, this.#end(row, from, key)));
  }

  /** Whether the row from `begin` up to `next` lacks a field that must be there, or a number. */
  isWrong(begin: number, next: number): boolean {
    const row = this.#content(begin, next);
    return this.keys.some(({ beginField, isFloat, required, invalid }, number) => {
      const isMissing = this.#quotes && quotedField(row, beginField, this.#separator) === undefined;
      if (required && isMissing && row.length > 0) return true;
      if (invalid !== INVALID_REPORTED) return false;
      const bytes = this.bytes(number, begin, next);
      return isFloat ? floatWord(bytes, true).word <= 1n : !isDecimal(textOf(bytes));
    });
  }

  /** The places in a row where a byte does not lie within quotes. */
  outsideQuotes(row: Uint8Array, byte: number): number[] {
    let inside = false;
    const places: number[] = [];
    for (const [at, own] of row.entries()) {
      if (this.#quotes && own === QUOTE) inside = !inside;
      else if (own === byte && !inside) places.push(at);
    }
    return places;
  }

  /** Word number `stage` of a key without its first `prefix` bytes. */
  word(number: number, stage: number, prefix: number, begin: number, next: number): ReadWord {
    const { isBytes, isFloat, descending, invalid } = this.keys[number]!;
    const bytes = this.bytes(number, begin, next);
    const turned = (word: bigint) => (descending ? word ^ ALL : word);
    if (isBytes) {
      const word = bytesWord(bytes.subarray(prefix + 7 * stage));
      return { word: turned(word), more: (word & 0xffn) === 8n };
    }
    const text = textOf(bytes);
    const read: ReadWord = isFloat ? floatWord(bytes, invalid !== 0) : decimalWord(text, stage);
    const isNumber = isFloat ? read.word > 1n : isDecimal(text);
    if (invalid !== 0 && !isNumber) {
      const first = invalid === INVALID_FIRST ? 0n : ALL;
      return { ...read, word: stage === 0 ? first : turned(0n), more: false };
    }
    return { ...read, word: turned(read.word) };
  }

  /** Compares two rows by all keys: negative if the first one goes first. */
  compare(a: readonly [number, number], b: readonly [number, number]): number {
    for (const [number, { isBytes, descending }] of this.keys.entries()) {
      const compared = isBytes
        ? compareBytes(this.bytes(number, ...a), this.bytes(number, ...b)) * (descending ? -1 : 1)
        : this.#compareWords(number, a, b);
      if (compared !== 0) return compared;
    }
    return 0;
  }

  #compareWords(number: number, a: readonly [number, number], b: readonly [number, number]): number {
    for (let stage = 0; ; stage++) {
      const x = this.word(number, stage, 0, ...a);
      const y = this.word(number, stage, 0, ...b);
      if (x.word !== y.word) return x.word < y.word ? -1 : 1;
      if (!x.more && !y.more) return 0;
    }
  }

  #content(begin: number, next: number): Uint8Array {
    const row = this.#text.subarray(begin, next - 1);
    return this.#quotes && row.at(-1) === 13 ? row.subarray(0, -1) : row;
  }

  #field(row: Uint8Array, field: number): number {
    let at = 0;
    for (let left = field; left > 0 && at < row.length; left--) {
      at = this.#fieldEnd(row, at);
      if (this.#separator !== NONE && at < row.length) at++;
    }
    return at;
  }

  #fieldEnd(row: Uint8Array, at: number): number {
    if (this.#separator === NONE) return skip(row, skip(row, at, isBlank), (byte) => !isBlank(byte));
    return skip(row, at, (byte) => byte !== this.#separator);
  }

  #end(row: Uint8Array, from: number, { ending, endField, endBytes, endBlanks }: KeyWords): number {
    if (ending === Ending.row) return row.length;
    if (ending === Ending.separator || ending === Ending.blank) return this.#fieldEnd(row, from);
    const at = this.#field(row, endField);
    if (endBytes === NONE) return this.#fieldEnd(row, at);
    return Math.min(row.length, (endBlanks ? skip(row, at, isBlank) : at) + endBytes);
  }
}

/** A field, or what is in its quotes; undefined if the row does not have so many. */
function quotedField(row: Uint8Array, field: number, separator: number): Uint8Array | undefined {
  let at = 0;
  for (let left = field; ; left--) {
    const isQuoted = row[at] === QUOTE;
    let end = isQuoted ? at + 1 : at;
    for (; isQuoted && end < row.length; end++) {
      if (row[end] !== QUOTE) continue;
      if (row[end + 1] !== QUOTE) break;
      end++;
    }
    const next = skip(row, end, (byte) => byte !== separator);
    if (left === 0) return isQuoted ? row.subarray(at + 1, end) : row.subarray(at, next);
    if (next === row.length) return undefined;
    at = next + 1;
  }
}

/** A key's bytes as characters, without blanks before them. */
function textOf(key: Uint8Array): string {
  return String.fromCharCode(...key).replace(/^[ \t\n]+/, "");
}

const isDecimal = (text: string) => /^-?(\d+\.?\d*|\.\d+)[ \t\n]*$/.test(text);

function isBlank(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === 10;
}

function skip(row: Uint8Array, from: number, passes: (byte: number) => boolean): number {
  let at = from;
  while (at < row.length && passes(row[at]!)) at++;
  return at;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

function bytesWord(bytes: Uint8Array): bigint {
  let word = 0n;
  for (let i = 0; i < 7; i++) word = (word << 8n) | BigInt(bytes[i] ?? 0);
  return (word << 8n) | BigInt(Math.min(bytes.length, 8));
}

const POSITIVE = 1n << 63n;

/**
 * @param whole whether the key must hold nothing else, but for blanks around it, and NaN counts as no number.
 */
function floatWord(key: Uint8Array, whole: boolean): ReadWord {
  const text = String.fromCharCode(...key).replace(/^[ \t\n\v\f\r]+/, "");
  const [, sign, rest = ""] = /^([+-]?)(.*)$/s.exec(text)!;
  if (/^nan/i.test(rest)) return { word: whole ? 0n : 1n, more: false };
  if (/^0x./is.test(rest)) return { word: 0n, more: false, unread: true };
  const [all, infinity, integers = "", decimals = "", exponent = "0"] =
    /^(?:(inf(?:inity)?)|(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?)/i.exec(rest)!;
  const isNumber = infinity !== undefined || integers + decimals !== "";
  if (!isNumber || (whole && !/^[ \t\n]*$/.test(rest.slice(all.length)))) return { word: 0n, more: false };
  const digits = (integers + decimals).replace(/^0+/, "");
  const power = Number(exponent) + digits.length - Math.min(19, digits.length) - decimals.length;
  const value = infinity ? Infinity : Number(`${digits.slice(0, 19) || 0}e${power}`);
  const word = new BigUint64Array(Float64Array.of(value).buffer)[0]! | POSITIVE;
  return { word: sign === "-" && value !== 0 ? word ^ ALL : word, more: false };
}
const FIRST_DIGITS = 17;
const WORD_DIGITS = 19;
const MANY_DIGITS = 63;

function decimalWord(text: string, stage: number): { word: bigint; more: boolean } {
  const [, sign, integers = "", decimals = ""] = /^(-?)0*(\d*)(?:\.(\d*))?/.exec(text)!;
  const digits = integers + decimals;
  const negative = sign === "-";
  if (negative && !/[1-9]/.test(digits)) return { word: stage === 0 ? POSITIVE : 0n, more: false };
  const turned = (word: bigint) => (negative ? word ^ ALL : word);
  const many = integers.length >= MANY_DIGITS;
  const length = BigInt(Math.min(integers.length, MANY_DIGITS));
  const head = stage === 0 ? POSITIVE | (length << 57n) : 0n;
  if (many && stage === 0) return { word: turned(head), more: true };
  if (many && stage === 1) return { word: turned(BigInt(integers.length)), more: true };
  const count = stage === 0 ? FIRST_DIGITS : WORD_DIGITS;
  const passed = many
    ? WORD_DIGITS * (stage - 2)
    : stage === 0
      ? 0
      : FIRST_DIGITS + WORD_DIGITS * (stage - 1);
  const taken = BigInt(digits.slice(passed, passed + count).padEnd(count, "0"));
  return { word: turned(head | taken), more: /[1-9]/.test(digits.slice(passed + count)) };
}
