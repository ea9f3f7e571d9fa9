// Numbers of any length, with or without an exponent, as words whose order is that of the numbers, exactly.
//
// The first word holds the sign, the exponent of the first digit that is not 0, and 15 digits from there; further
// words hold 19 digits each. An exponent that is too large for the first word has a word of its own after it. Words
// of a negative number are turned around.

import { LETTER_E, LOWER_CASE, MINUS, PLUS, POINT, ZERO } from "../text/constants";
import { charactersAt, countDigits, digitsRead, numberOf, powerOfTen, upToSixteen } from "../text/digits";
import { isBlank, skipBlanks } from "./fields";

const LETTER_A: u32 = 97;
const LETTER_F: u32 = 102;
const LETTER_I: u32 = 105;
const LETTER_N: u32 = 110;
const LETTER_T: u32 = 116;
const LETTER_Y: u32 = 121;

const POSITIVE: u64 = 1 << 63;

/** Digits of the first word, the bits that they take, and digits of a further one. */
const FIRST_DIGITS: u32 = 15;
const DIGIT_BITS: u64 = 50;
const WORD_DIGITS: u32 = 19;

/** What an exponent has added in the first word, and in a word of its own. */
const BIAS: i64 = 4096;
const WIDE_BIAS: i64 = 1 << 62;

/** In the place of an exponent: it has a word of its own, or the number is infinite. A zero has 0. */
const TINY: u64 = 1;
const HUGE: u64 = 8190;
const INFINITE: u64 = 8191;

/** An exponent that is written with more digits, leading zeros apart, is none, as for Python's Decimal. */
const MOST_EXPONENT_DIGITS: u32 = 18;

/** Digits of a group of thousands. */
const GROUP_DIGITS: u32 = 3;

/** Bytes that hold the digits of a word with a point, marks of thousands and one digit more. */
export const NUMBER_REACH: usize = 32;

/** After `numberWord`: where its digits go on; 0 if all further words are 0. */
export let digitsAfter: usize = 0;
/** After `numberWord`: whether the exponent comes in the next word. Its digits begin at `digitsAfter`. */
export let isWide: bool = false;
/** After `numberWord` and `digitsWord`: whether digits that are not in the words so far may differ from 0. */
export let goesOn: bool = false;

/** How numbers are written: the byte before decimals, and the one between thousands; 0 for none. */
let point: u32 = POINT;
let mark: u32 = 0;

/** @param form the point in its lowest byte, the mark of thousands in the second one; 0 for the usual form. */
function useForm(form: u32): void {
  point = form === 0 ? POINT : form & 0xff;
  mark = form >> 8;
}

/** Whether all numbers are read digit by digit, as a check of those that are read eight digits at a time. */
let isByDigits: bool = false;

export function readByDigits(isNow: bool): void {
  isByDigits = isNow;
}

/** @returns the first word of the number that a key is; 0 if it is none. */
export function numberWord(start: usize, end: usize, form: u32): u64 {
  isWide = false;
  goesOn = false;
  if (form === 0 && !isByDigits) {
    const word = shortWord(start, end);
    if (word !== 0) return word;
  }
  useForm(form);
  if (!read(start, end)) return 0;
  let word = POSITIVE;
  if (isInfinite) {
    digitsAfter = 0;
    word |= INFINITE << DIGIT_BITS;
  } else if (firstDigit === 0) {
    digitsAfter = 0;
    return POSITIVE; // -0 is 0
  } else if (exponent <= <i64>TINY - BIAS || exponent >= <i64>HUGE - BIAS) {
    isWide = true;
    goesOn = true;
    digitsAfter = firstDigit;
    word |= (exponent < 0 ? TINY : HUGE) << DIGIT_BITS;
  } else {
    word |= ((<u64>(exponent + BIAS)) << DIGIT_BITS) | takeDigits(firstDigit, lastDigit, FIRST_DIGITS);
    digitsAfter = after;
    for (let at = after; at < lastDigit && !goesOn; at++) goesOn = <u32>load<u8>(at) - ZERO - 1 < 9;
  }
  return isNegative ? ~word : word;
}

/**
 * The word of a plain number, eight digits at a time: of one with up to 15 digits before the point, up to 16 after
 * it, and up to 19 in all, as most are. @returns 0 if the key is anything else.
 */
function shortWord(start: usize, end: usize): u64 {
  const negative = start < end && load<u8>(start) === MINUS;
  const first = start + <usize>negative;
  let at = first;
  while (at < end && load<u8>(at) === ZERO) at++;
  let number = upToSixteen(at);
  const length = digitsRead;
  let to = at + length;
  let fraction: u32 = 0;
  let digits = length;
  let size = <i64>length;
  if (to < end && load<u8>(to) === POINT) {
    const others = charactersAt(to + 1);
    fraction = countDigits(others);
    if (fraction > 0) number = number * powerOfTen(fraction) + numberOf(others, fraction);
    if (length === 0 && number !== 0) {
      const zeros = ctz(others) >> 3;
      size = -(<i64>zeros);
      digits -= <u32>zeros;
    }
    if (fraction === 8) {
      const further = charactersAt(to + 9);
      const more = countDigits(further);
      if (number === 0) return 0;
      if (more > 0) number = number * powerOfTen(more) + numberOf(further, more);
      fraction += more;
    }
    to += 1 + fraction;
    digits += fraction;
    if (at === first && to === at + 1) return 0; // a point alone
  } else if (to === first) return 0;
  if (to !== end || length > FIRST_DIGITS || length + fraction > WORD_DIGITS) return 0;
  if (number === 0) {
    digitsAfter = 0;
    return POSITIVE; // -0 is 0
  }
  digitsAfter = end;
  if (digits > FIRST_DIGITS) {
    const rest = digits - FIRST_DIGITS; // all of them after the point
    const power = powerOfTen(rest);
    const all = number;
    number /= power;
    goesOn = number * power !== all;
    digitsAfter = end - rest;
  } else number *= powerOfTen(FIRST_DIGITS - digits);
  const word = POSITIVE | ((<u64>(size + BIAS)) << DIGIT_BITS) | number;
  return negative ? ~word : word;
}

/** The word with the exponent of a number that `isWide`. */
export function exponentWord(start: usize, end: usize, form: u32): u64 {
  useForm(form);
  read(start, end);
  const word = <u64>(exponent + WIDE_BIAS);
  return isNegative ? ~word : word;
}

/**
 * The word with the next digits of a number. Sets `digitsAfter` and `goesOn`.
 *
 * @param start where the key begins; `at` where the digits go on, `end` where it ends at the latest.
 */
export function digitsWord(start: usize, at: usize, end: usize, form: u32): u64 {
  useForm(form);
  const sign = skipBlanks(start, at);
  const word = takeDigits(at, end, WORD_DIGITS);
  digitsAfter = after;
  goesOn = after < end && isOfDigits(load<u8>(after));
  return sign < at && load<u8>(sign) === MINUS ? ~word : word;
}

/** Whether a key is "nan", in any case and with any sign. */
export function isNan(start: usize, end: usize): bool {
  let at = skipBlanks(start, end);
  const sign: u32 = at < end ? load<u8>(at) : 0;
  if (sign === MINUS || sign === PLUS) at++;
  const isWord = letterAt(at, end) === LETTER_N && letterAt(at + 1, end) === LETTER_A;
  return isWord && letterAt(at + 2, end) === LETTER_N && skipBlanks(at + 3, end) === end;
}

function letterAt(at: usize, end: usize): u32 {
  return at < end ? load<u8>(at) | LOWER_CASE : 0;
}

function isOfDigits(byte: u32): bool {
  return byte - ZERO <= 9 || byte === point || (byte === mark && mark !== 0);
}

let after: usize = 0;

/** The next `count` digits as a number, with zeros after the last one. Sets `after`. */
function takeDigits(at: usize, end: usize, count: u32): u64 {
  let number: u64 = 0;
  let n: u32 = 0;
  for (; at < end && n < count; at++) {
    const byte: u32 = load<u8>(at);
    if (!isOfDigits(byte)) break;
    if (byte - ZERO > 9) continue;
    number = number * 10 + <u64>(byte - ZERO);
    n++;
  }
  after = at;
  return number * powerOfTen(count - n);
}

// What `read` finds out.
let isNegative: bool = false;
let isInfinite: bool = false;
/** The address of the first digit that is not 0, 0 if there is none; and the one after the last digit. */
let firstDigit: usize = 0;
let lastDigit: usize = 0;
/** The number is 0.ddd… times ten to this power, where the first digit is not 0. */
let exponent: i64 = 0;

/** Reads a number. @returns whether the key is one, but for blanks around it. */
function read(start: usize, end: usize): bool {
  while (end > start && isBlank(load<u8>(end - 1))) end--;
  let at = skipBlanks(start, end);
  const sign: u32 = at < end ? load<u8>(at) : 0;
  isNegative = sign === MINUS;
  if (isNegative || sign === PLUS) at++;
  isInfinite = letterAt(at, end) === LETTER_I;
  if (isInfinite) return isInfinity(at, end);
  at = readDigits(at, end);
  if (at === 0) return false;
  return at === end || (letterAt(at, end) === LETTER_E && readExponent(at + 1, end));
}

function isInfinity(at: usize, end: usize): bool {
  if (letterAt(at + 1, end) !== LETTER_N || letterAt(at + 2, end) !== LETTER_F) return false;
  if (at + 3 === end) return true;
  const isLong =
    letterAt(at + 3, end) === LETTER_I &&
    letterAt(at + 4, end) === LETTER_N &&
    letterAt(at + 5, end) === LETTER_I &&
    letterAt(at + 6, end) === LETTER_T &&
    letterAt(at + 7, end) === LETTER_Y;
  return isLong && at + 8 === end;
}

/** Reads digits with a point, and marks of thousands before it. @returns their end; 0 if they are no number. */
function readDigits(at: usize, end: usize): usize {
  let hasDigits = false;
  let isFraction = false;
  let isGrouped = false;
  let group: u32 = 0;
  firstDigit = 0;
  exponent = 0;
  for (; at < end; at++) {
    const byte: u32 = load<u8>(at);
    const digit = byte - ZERO;
    if (digit <= 9) {
      hasDigits = true;
      group++;
      if (firstDigit === 0 && digit !== 0) firstDigit = at;
      if (!isFraction) exponent += <i64>(firstDigit !== 0);
      else if (firstDigit === 0) exponent--;
    } else if (byte === point && !isFraction) {
      if (isGrouped && group !== GROUP_DIGITS) return 0;
      isFraction = true;
    } else if (byte === mark && mark !== 0 && !isFraction) {
      if (isGrouped ? group !== GROUP_DIGITS : group === 0 || group > GROUP_DIGITS) return 0;
      isGrouped = true;
      group = 0;
    } else break;
  }
  lastDigit = at;
  if (isGrouped && !isFraction && group !== GROUP_DIGITS) return 0;
  return hasDigits ? at : 0;
}

/** Adds what comes after the letter e to the exponent. @returns whether it is a whole number, up to the end. */
function readExponent(at: usize, end: usize): bool {
  const sign: u32 = at < end ? load<u8>(at) : 0;
  if (sign === MINUS || sign === PLUS) at++;
  if (at === end) return false;
  let number: i64 = 0;
  let n: u32 = 0;
  for (; at < end; at++) {
    const digit = <u32>load<u8>(at) - ZERO;
    if (digit > 9) return false;
    number = number * 10 + <i64>digit;
    n += <u32>(number !== 0);
    if (n > MOST_EXPONENT_DIGITS) return false;
  }
  exponent += sign === MINUS ? -number : number;
  return true;
}
