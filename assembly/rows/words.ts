// A key as words of 64 bits: the order of the first words that differ is the order of the keys. A word of bytes
// holds seven of them and how many these are, with 8 for more, so that a key goes before those that it begins.
// A word of a decimal number holds its sign, the length of its integer part and its first digits; further words
// hold further digits. So words of any two keys compare as the keys do, and few rows need more than one.

import { orderedNumber } from "../stored_numbers";
import { CARRIAGE_RETURN, MINUS, POINT, ZERO } from "../text/constants";
import { charactersAt, countDigits, digitsRead, numberOf, powerOfTen, upToSixteen } from "../text/digits";
import { dateWord, finerDigits } from "./dates";
import { derivedCursor, derivedWord } from "./derived";
import { isBlank, isQuoted, keyBegin, keyEnd, keyEndFrom, QUOTE, skipBlanks } from "./fields";
import { floatWord } from "./floats";
import {
  digitsAfter,
  digitsWord,
  exponentWord,
  goesOn,
  isNan,
  isWide,
  NUMBER_REACH,
  numberWord,
} from "./numbers";
import {
  BYTES,
  DATE,
  DECIMAL,
  FLOAT,
  HUMAN,
  INVALID_FIRST,
  INVALID_REPORTED,
  Key,
  MONTH,
  NUMBER,
  Order,
  STORED,
} from "./order";
import { finishedWord, hasQuote, MORE_BYTES, plainWord, WORD_BYTES } from "./string_words";

/** Bytes that are first read for a word, where some are left out. */
const FIRST_READ_BYTES: usize = 64;

/** Digits of a word after the first one: 10^19 fits 64 bits. */
const WORD_DIGITS: u32 = 19;
/** Digits of the first word of a decimal number, and their bits. */
const FIRST_DIGITS: u32 = 17;
const FIRST_BITS: u64 = 57;
/** The same where a unit takes four bits. */
const HUMAN_DIGITS: u32 = 15;
const HUMAN_BITS: u64 = 50;
/** Integer parts from this many digits on have their length in a word of its own. */
const MANY_DIGITS: u64 = 63;
const LENGTH_BITS: u64 = 6;
const POSITIVE: u64 = 1 << 63;

/**
 * In a cursor, which is a position below 2^31: the key is in quotes, or its decimal point was passed; or, of a
 * "number", that the exponent comes next, and the digits begin one byte before.
 */
export const MARK: u32 = 1 << 31;
/**
 * The cursor of a number that is 0 in all further words, whatever its text holds: of -0, and of no number. No point
 * was passed before position 0.
 */
const ENDED: u32 = MARK;

/** Whether the key of the last word goes on after it; for bytes, the word itself says so. */
export let hasMore: bool = false;
/** The position after what the last word holds, with its mark. */
export let cursorAfter: u32 = 0;
/** The address after the key of the last first word, if that is of bytes, or if the key does not fit. */
export let endAfter: usize = 0;

// What a key holds that is to be a number or a date.
export const FITS: u32 = 0;
/** Nothing, NaN, or one of the words that count as no value. */
export const IS_MISSING: u32 = 1;
export const DOES_NOT_FIT: u32 = 2;

/** What the key of the last first word holds. */
export let holds: u32 = FITS;
/** Whether that is an error. */
export let isInvalid: bool = false;

/**
 * The first words of keys that have no value, and of those whose value does not fit: these are compared further
 * by their bytes, in ascending order. Words of numbers and dates lie between those for the first and the last
 * place, in either direction.
 */
const MISSING_FIRST: u64 = 0;
const MISFIT_FIRST: u64 = 1;
const MISSING_LAST: u64 = -2;
const MISFIT_LAST: u64 = -1;

/** Added to the stage of words of keys that do not fit. */
const MISFIT_STAGE: u32 = 1 << 30;

/** Whether further words of a key are those of its bytes, because it does not fit. */
export function isMisfitStage(stage: u32): bool {
  return (stage & MISFIT_STAGE) !== 0;
}

/** The stage after the first word of a key that is not compared byte by byte. */
export function stageAfterFirst(key: Key, word: u64): u32 {
  const invalid = key.invalid;
  if (invalid === 0) return 1;
  return word === (invalid === INVALID_FIRST ? MISFIT_FIRST : MISFIT_LAST) ? MISFIT_STAGE | 1 : 1;
}

/** How many words of a key came before. */
export function wordsBefore(stage: u32): u32 {
  return stage & ~MISFIT_STAGE;
}

/** Sets what is known after a word of bytes that was made elsewhere. */
export function endWord(cursor: u32): void {
  cursorAfter = cursor;
  hasMore = false;
  holds = FITS;
  isInvalid = false;
}

/** The first word of a row's key. */
export function firstWord(order: Order, key: Key, row: u32): u64 {
  const begin = order.rowBegin(row);
  return firstWordAt(order, key, begin, order.contentEnd(begin, order.nextRow(row)));
}

/** The first word of a key of the row from `begin` to `end`. */
export function firstWordAt(order: Order, key: Key, begin: usize, end: usize): u64 {
  if (key.isDerived) return wordOfDerived(order, key, begin, end, 0, 0);
  const from = keyBegin(order, key, begin, end);
  const quoted = isQuoted;
  return firstWordOf(order, key, from, keyEnd(order, key, begin, end, from), quoted);
}

/** The first word of the key from `from` to `to`, which is not derived. */
export function firstWordOf(order: Order, key: Key, from: usize, to: usize, quoted: bool): u64 {
  const text = order.text;
  hasMore = false;
  holds = FITS;
  isInvalid = false;
  const comparison = key.comparison;
  if (comparison === BYTES) {
    endAfter = to;
    return bytesWord(key, from, to, quoted, text) ^ key.flip;
  }
  let word: u64;
  if (comparison === NUMBER) {
    to = withoutReturn(from, to);
    word = numberWord(from, to, key.form);
    hasMore = goesOn;
    const after = <u32>(digitsAfter - text);
    cursorAfter = digitsAfter === 0 ? ENDED : isWide ? (after + 1) | MARK : after;
  } else if (comparison === DECIMAL) word = decimalWord(from, to, FIRST_DIGITS, FIRST_BITS, 0, text);
  else if (comparison === HUMAN) word = humanWord(from, to, key.table, text);
  else if (comparison === FLOAT) word = floatWord(from, to, key.invalid !== 0, order.powers);
  else if (comparison === MONTH)
    word = monthWord(from, to) << (<u64>(key.invalid !== 0)); // 1 is taken
  else if (comparison === STORED) word = storedWord(from, key.form);
  else {
    word = dateWord(from, to);
    hasMore = finerDigits !== 0;
    cursorAfter = hasMore ? <u32>(finerDigits - text) : ENDED;
  }
  const invalid = key.invalid;
  if (invalid !== 0) {
    holds = heldBy(key, from, to, comparison, word);
    if (holds !== FITS) {
      // Whether a missing value is an error is known when the guess has held for all rows.
      isInvalid = key.isGuessed ? holds === DOES_NOT_FIT : invalid === INVALID_REPORTED;
      hasMore = holds === DOES_NOT_FIT;
      endAfter = to;
      cursorAfter = hasMore ? <u32>(from - text) | (quoted ? MARK : 0) : ENDED;
      if (hasMore) return invalid === INVALID_FIRST ? MISFIT_FIRST : MISFIT_LAST;
      return invalid === INVALID_FIRST ? MISSING_FIRST : MISSING_LAST;
    }
  }
  return word ^ key.flip;
}

/** @param form the length of the number in bytes, its order, and its byte order, each as a byte. */
function storedWord(from: usize, form: u32): u64 {
  return orderedNumber(from, form & 0xff, (form >> 8) & 0xff, form >> 16 !== 0);
}

/** Where a number ends whose line ends as those of Windows do. */
function withoutReturn(from: usize, to: usize): usize {
  return to > from && load<u8>(to - 1) === CARRIAGE_RETURN ? to - 1 : to;
}

/** What a key holds that is to be a number or a date. */
function heldBy(key: Key, from: usize, to: usize, comparison: u32, word: u64): u32 {
  const nulls = key.nullWords;
  if (nulls !== 0 && isNullWord(nulls, from, to)) return IS_MISSING;
  if (isNumber(from, to, comparison, word)) return FITS;
  if (skipBlanks(from, to) >= to) return IS_MISSING;
  return comparison === NUMBER && isNan(from, to) ? IS_MISSING : DOES_NOT_FIT;
}

/** Whether a key, but for blanks around it, is one of the words that count as no value. */
function isNullWord(nulls: usize, from: usize, to: usize): bool {
  from = skipBlanks(from, to);
  while (to > from && isBlank(load<u8>(to - 1))) to--;
  for (let length: usize = load<u8>(nulls); length !== 0; length = load<u8>(nulls)) {
    if (length === to - from && memory.compare(nulls + 1, from, length) === 0) return true;
    nulls += length + 1;
  }
  return false;
}

/** The word of a row's key after those up to `cursor`. @param stage how many words came before, at least 1. */
export function nextWord(order: Order, key: Key, row: u32, stage: u32, cursor: u32): u64 {
  const begin = order.rowBegin(row);
  const end = order.contentEnd(begin, order.nextRow(row));
  return nextWordAt(order, key, begin, end, stage, cursor);
}

export function nextWordAt(order: Order, key: Key, begin: usize, end: usize, stage: u32, cursor: u32): u64 {
  if (key.isDerived) return wordOfDerived(order, key, begin, end, stage, cursor);
  const at = order.text + (cursor & ~MARK);
  const marked = (cursor & MARK) !== 0;
  const comparison = key.comparison;
  if (comparison === BYTES || isMisfitStage(stage)) {
    const leavesOut = key.table !== 0;
    for (let reach: usize = leavesOut ? FIRST_READ_BYTES : WORD_BYTES + 1; ; reach *= 8) {
      const to = keyEndFrom(order, key, begin, end, at, marked, reach);
      const word = nextWordOf(order, key, at, to, stage, cursor);
      // The bytes that were read may have been left out.
      const isCut = leavesOut && to === at + reach && ((word ^ key.flip) & 0xff) !== MORE_BYTES;
      if (!isCut) return word;
    }
  }
  if (cursor === ENDED) return nextWordOf(order, key, at, at, stage, cursor);
  if (comparison === DATE) {
    const to = keyEndFrom(order, key, begin, end, at, false, WORD_DIGITS + 1);
    return nextWordOf(order, key, at, to, stage, cursor);
  }
  const from = keyBegin(order, key, begin, end);
  let to: usize;
  if (comparison === NUMBER ? marked : stage === 1) to = keyEnd(order, key, begin, end, from);
  else if (comparison === NUMBER && isQuoted)
    to = end; // no byte that a number has can be a quote
  else {
    // One more than are taken, and a point.
    const reach: usize = comparison === NUMBER ? NUMBER_REACH : WORD_DIGITS + 2;
    to = keyEndFrom(order, key, begin, end, at, false, reach);
  }
  return nextWordOf(order, key, from, to, stage, cursor);
}

/**
 * The word after those up to `cursor` of a key that is not derived.
 *
 * @param from where the key begins, or after blanks there; `to` where it ends, or behind all that a word takes.
 */
export function nextWordOf(order: Order, key: Key, from: usize, to: usize, stage: u32, cursor: u32): u64 {
  const text = order.text;
  const at = text + (cursor & ~MARK);
  const marked = (cursor & MARK) !== 0;
  hasMore = false;
  if (isMisfitStage(stage)) {
    const word = unmappedWord(at, to, marked, text);
    hasMore = (word & 0xff) === MORE_BYTES;
    return word;
  }
  const comparison = key.comparison;
  if (comparison === BYTES) return bytesWord(key, at, to, marked, text) ^ key.flip;
  if (cursor === ENDED) {
    cursorAfter = ENDED;
    return key.flip;
  }
  if (comparison === DATE) return finerWord(at, to, text) ^ key.flip;
  if (comparison !== NUMBER) return moreDigits(from, to, at, marked, stage, text) ^ key.flip;
  if (marked) {
    cursorAfter = (cursor & ~MARK) - 1;
    hasMore = true;
    return exponentWord(from, withoutReturn(from, to), key.form) ^ key.flip;
  }
  const word = digitsWord(from, at, to, key.form);
  cursorAfter = <u32>(digitsAfter - text);
  hasMore = goesOn;
  return word ^ key.flip;
}

function wordOfDerived(order: Order, key: Key, begin: usize, end: usize, stage: u32, cursor: u32): u64 {
  const word = derivedWord(order, key, begin, end, stage, cursor);
  endWord(derivedCursor);
  return word;
}

function bytesWord(key: Key, from: usize, to: usize, quoted: bool, text: usize): u64 {
  const table = key.table;
  return table !== 0 ? mappedWord(table, from, to, text) : unmappedWord(from, to, quoted, text);
}

function unmappedWord(from: usize, to: usize, quoted: bool, text: usize): u64 {
  if (quoted && hasQuote(load<u64>(from))) return quotedWord(from, to, text);
  cursorAfter = <u32>(min<usize>(to, from + WORD_BYTES) - text) | (quoted ? MARK : 0);
  return plainWord(from, to);
}

/** As `bytesWord`, with one quote for two of them. */
function quotedWord(from: usize, to: usize, text: usize): u64 {
  let word: u64 = 0;
  let n: u32 = 0;
  let at = from;
  while (at < to && n < WORD_BYTES) {
    const byte = load<u8>(at);
    word = (word << 8) | byte;
    at += byte === QUOTE ? 2 : 1;
    n++;
  }
  cursorAfter = <u32>(at - text) | MARK;
  return finishedWord(word, n, at < to);
}

/** The bytes as others that stand for them, without those that are left out. */
function mappedWord(table: usize, from: usize, to: usize, text: usize): u64 {
  let word: u64 = 0;
  let n: u32 = 0;
  let at = from;
  for (; at < to; at++) {
    const byte: usize = load<u8>(at);
    if (load<u8>(table + byte, 256) !== 0) continue;
    if (n === WORD_BYTES) break;
    word = (word << 8) | load<u8>(table + byte);
    n++;
  }
  cursorAfter = <u32>(at - text);
  return finishedWord(word, n, at < to);
}

function isDigit(at: usize): bool {
  return load<u8>(at) - ZERO <= 9;
}

function skipDigits(at: usize, end: usize): usize {
  while (at < end && isDigit(at)) at++;
  return at;
}

function skipZeros(at: usize, end: usize): usize {
  while (at < end && load<u8>(at) === ZERO) at++;
  return at;
}

/** Where the number ends that begins at `at`, after its sign. */
function numberEnd(at: usize, end: usize): usize {
  const point = skipDigits(at, end);
  return point < end && load<u8>(point) === POINT ? skipDigits(point + 1, end) : point;
}

/** Whether a digit of the number is not 0. */
function isNonzero(at: usize, end: usize): bool {
  for (; at < end; at++) {
    const digit = load<u8>(at) - ZERO;
    if (digit > 9 && load<u8>(at) !== POINT) return false;
    if (digit - 1 < 9) return true;
  }
  return false;
}

let point: bool = false;
let after: usize = 0;

/** The next `count` digits as a number, with zeros after the last one. Sets `after`, and `point` at a point. */
function takeDigits(at: usize, end: usize, count: u32): u64 {
  let number: u64 = 0;
  let n: u32 = 0;
  for (; at < end && n < count; at++) {
    if (load<u8>(at) === POINT && !point) {
      point = true;
      continue;
    }
    const digit = load<u8>(at) - ZERO;
    if (digit > 9) break;
    number = number * 10 + <u64>digit;
    n++;
  }
  after = at;
  return number * powerOfTen(count - n);
}

let shortLength: u32 = 0;
let shortDigits: u64 = 0;

/**
 * Takes a whole number of few digits, eight at a time: most numbers have up to 15 before the point and up to 7
 * after it. Sets the length of its integer part, its digits as `takeDigits` returns them, `after` and `point`.
 *
 * @returns whether it did.
 */
function takeShort(at: usize, end: usize, digits: u32): bool {
  let number = upToSixteen(at);
  const length = digitsRead;
  let to = at + length;
  let fraction: u32 = 0;
  point = to < end && load<u8>(to) === POINT;
  if (point) {
    const others = charactersAt(to + 1);
    fraction = countDigits(others);
    if (fraction > 0) number = number * powerOfTen(fraction) + numberOf(others, fraction);
    to += 1 + fraction;
  }
  if (length > 15 || fraction > 7 || length + fraction > digits || to > end) return false;
  after = to;
  shortLength = length;
  shortDigits = number * powerOfTen(digits - length - fraction);
  return true;
}

/**
 * The first word of a decimal number: sign, unit, length of the integer part, first digits.
 *
 * @param bits how many bits the digits take.
 * @param unit comes before the length; 0 for none.
 */
function decimalWord(start: usize, end: usize, digits: u32, bits: u64, unit: u64, text: usize): u64 {
  let at = skipBlanks(start, end);
  const negative = at < end && load<u8>(at) === MINUS;
  if (negative) at++;
  at = skipZeros(at, end);
  if (takeShort(at, end, digits)) {
    if (negative && shortLength === 0 && shortDigits === 0) {
      cursorAfter = ENDED;
      return POSITIVE; // -0 is 0
    }
    cursorAfter = <u32>(after - text) | (point ? MARK : 0);
    const word = POSITIVE | (((unit << LENGTH_BITS) | shortLength) << bits) | shortDigits;
    return negative ? ~word : word;
  }
  const integers = skipDigits(at, end);
  const length = <u64>(integers - at);
  point = false;
  if (length >= MANY_DIGITS) {
    cursorAfter = <u32>(at - text);
    hasMore = true;
    const many = POSITIVE | (((unit << LENGTH_BITS) | MANY_DIGITS) << bits);
    return negative ? ~many : many;
  }
  const first = takeDigits(at, end, digits);
  cursorAfter = <u32>(after - text) | (point ? MARK : 0);
  hasMore = after < end && isNonzero(after, numberEndFrom(after, end));
  if (negative && length === 0 && first === 0 && !hasMore) {
    cursorAfter = ENDED;
    return POSITIVE; // -0 is 0
  }
  const word = POSITIVE | (((unit << LENGTH_BITS) | length) << bits) | first;
  return negative ? ~word : word;
}

/** Where a number ends of which the digits up to `at` were taken. */
function numberEndFrom(at: usize, end: usize): usize {
  return point ? skipDigits(at, end) : numberEnd(at, end);
}

/** The word after the first: the length of a long integer part, or more digits. */
function moreDigits(from: usize, to: usize, at: usize, pointPassed: bool, stage: u32, text: usize): u64 {
  // A sign was passed, if there is one: what follows the cursor may lie beyond the key.
  const start = skipBlanks(from, at);
  const negative = start < at && load<u8>(start) === MINUS;
  let word: u64;
  if (stage === 1 && isManyDigits(negative ? start + 1 : start, to)) {
    word = <u64>(skipDigits(at, to) - at);
    cursorAfter = <u32>(at - text);
    hasMore = true;
  } else {
    point = pointPassed;
    word = takeDigits(at, to, WORD_DIGITS);
    cursorAfter = <u32>(after - text) | (point ? MARK : 0);
    hasMore = after < to && (isDigit(after) || (load<u8>(after) === POINT && !point));
  }
  return negative ? ~word : word;
}

/** More digits of a second's fraction. */
function finerWord(at: usize, end: usize, text: usize): u64 {
  point = true;
  const word = takeDigits(at, end, WORD_DIGITS);
  cursorAfter = <u32>(after - text);
  hasMore = after < end && isDigit(after);
  return word;
}

/** Whether an integer part is so long that the number of its digits has a word of its own. */
function isManyDigits(at: usize, end: usize): bool {
  const first = skipZeros(at, end);
  const limit = min<usize>(end, first + <usize>MANY_DIGITS);
  return skipDigits(first, limit) - first >= <usize>MANY_DIGITS;
}

/** The letters of units: k, M, G, T, P, E, Z, Y, R, Q. */
const UNITS = memory.data<u8>([107, 77, 71, 84, 80, 69, 90, 89, 82, 81]);
const CAPITAL_K: u32 = 75;

/** The unit of a number as in `sort -h`, by letters as the table folds them: none, K or k, then the others. */
function unitAt(at: usize, end: usize, table: usize): u64 {
  if (at >= end) return 0;
  const letter: usize = load<u8>(at);
  const byte: u32 = table === 0 ? <u32>letter : load<u8>(table + letter);
  if (byte === CAPITAL_K) return 1;
  for (let unit: usize = 0; unit < 10; unit++) if (load<u8>(UNITS + unit) === byte) return unit + 1;
  return 0;
}

function humanWord(start: usize, end: usize, table: usize, text: usize): u64 {
  let at = skipBlanks(start, end);
  if (at < end && load<u8>(at) === MINUS) at++;
  const last = numberEnd(at, end);
  const unit = isNonzero(at, last) ? unitAt(last, end, table) : 0;
  return decimalWord(start, end, HUMAN_DIGITS, HUMAN_BITS, unit, text);
}

/** The first three letters of each month. */
const MONTHS = memory.data<u32>([
  0x4a414e, 0x464542, 0x4d4152, 0x415052, 0x4d4159, 0x4a554e, 0x4a554c, 0x415547, 0x534550, 0x4f4354,
  0x4e4f56, 0x444543,
]);

/** 0 for none, then January to December. */
function monthWord(start: usize, end: usize): u64 {
  const at = skipBlanks(start, end);
  if (end - at < 3 || end < at) return 0;
  const letters = (((<u32>load<u8>(at)) << 16) | ((<u32>load<u8>(at, 1)) << 8) | load<u8>(at, 2)) & 0xdfdfdf;
  for (let month: usize = 0; month < 12; month++) {
    if (load<u32>(MONTHS + (month << 2)) === letters) return month + 1;
  }
  return 0;
}

/** Whether a key, but for blanks around it, is a number. */
function isNumber(from: usize, to: usize, comparison: u32, word: u64): bool {
  if (comparison === FLOAT) return word > 1;
  if (comparison !== DECIMAL) return word !== 0;
  let at = skipBlanks(from, to);
  if (at < to && load<u8>(at) === MINUS) at++;
  const last = numberEnd(at, to);
  const digits = last - at - <usize>(last > at && skipDigits(at, last) < last);
  return digits > 0 && skipBlanks(last, to) === to;
}
