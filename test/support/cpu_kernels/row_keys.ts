import { QUOTE } from "../../../src/core/rows/reading.js";
import { dateWord } from "./row_dates.js";
import {
  ALL,
  bytesWord,
  decimalWord,
  floatWord,
  humanWord,
  isDecimal,
  monthWord,
  type ReadWord,
  textOf,
} from "./row_words.js";

/** Where keys of rows are, and their order: as wgsl/rows/row_fields.wgsl and wgsl/rows/rows_compare.wgsl. */

/** A key as words of an order: see assembly/rows/order.ts. */
interface KeyWords {
  readonly beginField: number;
  readonly beginOffset: number;
  readonly beginBlanks: boolean;
  readonly ending: number;
  readonly endField: number;
  readonly endBytes: number;
  readonly endBlanks: boolean;
  readonly comparison: number;
  /** For each byte the one that stands for it, or LEFT_OUT; undefined if bytes stand for themselves. */
  readonly map: Uint32Array | undefined;
  readonly descending: boolean;
  readonly invalid: number;
  readonly required: boolean;
}

const HEAD_WORDS = 8;
const KEY_WORDS = 14;
const LEFT_OUT = 256;
const NONE = 0xffff_ffff;
const Ending = { row: 0, separator: 1, blank: 2 } as const;
const Comparison = { bytes: 0, decimal: 1, human: 2, float: 3, month: 4, date: 5 } as const;
const INVALID_FIRST = 1;
const INVALID_REPORTED = 3;
const INVALID_PLACES = 3;

/** The keys of a text's rows. */
export class RowKeys {
  readonly #text: Uint8Array;
  readonly #separator: number;
  readonly #quotes: boolean;
  readonly #isMapped: boolean;
  readonly keys: readonly KeyWords[];

  /** @param order the words of an order; `variants` of the kernel that reads the keys. */
  constructor(text: Uint32Array, order: Uint32Array, variants: Readonly<Record<string, string | undefined>>) {
    this.#text = new Uint8Array(text.buffer, text.byteOffset, text.byteLength);
    const [, separator = NONE, , count = 0] = order;
    this.#separator = separator;
    this.#isMapped = variants.row_bytes === "mapped";
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
        comparison: word(7),
        map: word(8) === 0 ? undefined : order.subarray(word(8), word(8) + 256),
        descending: word(9) !== 0,
        invalid: word(10) & INVALID_PLACES,
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

  /** The bytes of such a key that are compared. */
  compared(number: number, begin: number, next: number): Uint8Array {
    const bytes = this.bytes(number, begin, next);
    const { map } = this.keys[number]!;
    return this.#isMapped && map
      ? bytes.map((byte) => map[byte]!).filter((_, i) => map[bytes[i]!] !== LEFT_OUT)
      : bytes;
  }

  /** Whether the row from `begin` up to `next` lacks the field of a key that must be there, or its number. */
  isWrong(number: number, begin: number, next: number): boolean {
    const { beginField, required, comparison, invalid } = this.keys[number]!;
    const row = this.#content(begin, next);
    const isMissing = this.#quotes && quotedField(row, beginField, this.#separator) === undefined;
    if (required && isMissing && row.length > 0) return true;
    if (comparison === Comparison.bytes || invalid === 0) return false;
    const isEmpty = textOf(this.bytes(number, begin, next)) === "";
    return !this.#value(number, 0, begin, next).isValue && (invalid === INVALID_REPORTED || !isEmpty);
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
    const { comparison, descending, invalid } = this.keys[number]!;
    const turned = (word: bigint) => (descending ? word ^ ALL : word);
    if (comparison === Comparison.bytes) {
      const word = bytesWord(this.compared(number, begin, next).subarray(prefix + 7 * stage));
      return { word: turned(word), more: (word & 0xffn) === 8n };
    }
    const { read, isValue } = this.#value(number, stage, begin, next);
    if (invalid !== 0 && !isValue) {
      const first = invalid === INVALID_FIRST ? 0n : ALL - 1n;
      return { ...read, word: stage === 0 ? first : turned(0n), more: false };
    }
    return { ...read, word: turned(read.word) };
  }

  /** A word of a key that is not compared byte by byte, and whether the key is what it must be. */
  #value(number: number, stage: number, begin: number, next: number): { read: ReadWord; isValue: boolean } {
    const { comparison, invalid, map } = this.keys[number]!;
    const bytes = this.bytes(number, begin, next);
    const text = textOf(bytes);
    if (comparison === Comparison.decimal)
      return { read: decimalWord(text, stage), isValue: isDecimal(text) };
    if (comparison === Comparison.float) {
      const read = floatWord(bytes, invalid !== 0);
      return { read, isValue: read.word > 1n };
    }
    if (comparison === Comparison.human) {
      const read = humanWord(text, stage, (byte) => map?.[byte] ?? byte);
      return { read, isValue: true };
    }
    const wordAt = comparison === Comparison.month ? () => monthWord(text) : (n: number) => dateWord(text, n);
    return { read: wordAt(stage), isValue: wordAt(0).word !== 0n };
  }

  /**
   * Compares two rows by all keys: negative if the first one goes first. Undefined if they are not told apart
   * by `stages` words of a number.
   */
  compare(a: readonly [number, number], b: readonly [number, number], stages: number): number | undefined {
    for (const [number, { comparison, descending }] of this.keys.entries()) {
      const compared =
        comparison === Comparison.bytes
          ? compareBytes(this.compared(number, ...a), this.compared(number, ...b)) * (descending ? -1 : 1)
          : this.#compareWords(number, a, b, stages);
      if (compared !== 0) return compared;
    }
    return 0;
  }

  #compareWords(
    number: number,
    a: readonly [number, number],
    b: readonly [number, number],
    stages: number,
  ): number | undefined {
    for (let stage = 0; stage < stages; stage++) {
      const x = this.word(number, stage, 0, ...a);
      const y = this.word(number, stage, 0, ...b);
      if (x.word !== y.word) return x.word < y.word ? -1 : 1;
      if (!x.more && !y.more) return 0;
    }
    return undefined;
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
