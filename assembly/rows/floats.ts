// The first number of a key as a double, by the syntax of strtod: decimal or hexadecimal digits with an exponent,
// inf, infinity, nan.

import { INFINITY_BITS, LOWER_CASE, MINUS, PLUS, POINT, ZERO } from "../text/constants";
import { doubleBits } from "../text/decimal_to_double";
import { isBlank } from "./fields";

const SIGN: u64 = 1 << 63;

/** The most digits that always fit 64 bits. */
const MOST_DIGITS: i32 = 19;
const MOST_HEX_DIGITS: i32 = 15;

/** An exponent as large as this, or larger, makes any number 0 or infinite. */
const HUGE_EXPONENT: i32 = 1 << 20;

/** No number, and NaN: they go before all numbers, whose least word, that of minus infinity, is larger. */
const NO_NUMBER: u64 = 0;
const NAN: u64 = 1;

function lower(at: usize, end: usize): u32 {
  return at < end ? load<u8>(at) | LOWER_CASE : 0;
}

function isWord(at: usize, end: usize, first: u32, second: u32, third: u32): bool {
  return lower(at, end) === first && lower(at + 1, end) === second && lower(at + 2, end) === third;
}

/** The value of a hexadecimal digit; 16 for another byte. */
function hexDigit(byte: u32): u32 {
  if (byte - ZERO <= 9) return byte - ZERO;
  const letter = (byte | LOWER_CASE) - 97;
  return letter < 6 ? letter + 10 : 16;
}

let bits: u64 = 0;
let after: usize = 0;

/**
 * A word whose order is the order of `sort -g`: keys without a number, NaNs, numbers.
 *
 * @param whole whether the key must hold nothing else, but for blanks around it, and NaN counts as no number.
 */
export function floatWord(start: usize, end: usize, whole: bool, powers: usize): u64 {
  let at = start;
  while (at < end && (isBlank(load<u8>(at)) || load<u8>(at) - 10 < 4)) at++;
  const sign: u32 = at < end ? load<u8>(at) : 0;
  if (sign === MINUS || sign === PLUS) at++;
  if (isWord(at, end, 110, 97, 110)) return whole ? NO_NUMBER : NAN;
  if (isWord(at, end, 105, 110, 102)) {
    bits = INFINITY_BITS;
    after =
      isWord(at + 3, end, 105, 110, 105) && lower(at + 6, end) === 116 && lower(at + 7, end) === 121
        ? at + 8
        : at + 3;
  } else if (
    lower(at + 1, end) === 120 &&
    load<u8>(at) === ZERO &&
    takeDigits(at + 2, end, 16, MOST_HEX_DIGITS, 112)
  ) {
    bits = reinterpret<u64>(scaled(<f64>number, max<i32>(-2000, min<i32>(2000, exponent))));
  } else if (takeDigits(at, end, 10, MOST_DIGITS, 101)) bits = doubleBits(number, exponent, powers);
  else return NO_NUMBER;
  if (whole) {
    while (after < end && isBlank(load<u8>(after))) after++;
    if (after < end) return NO_NUMBER;
  }
  if (bits === 0) return SIGN; // -0 is 0
  return sign === MINUS ? ~(bits | SIGN) : bits | SIGN;
}

let exponent: i32 = 0;

/** Takes an exponent after its letter. @returns its end; `at` if it has no digits. */
function takeExponent(at: usize, end: usize): usize {
  exponent = 0;
  let next = at + 1;
  const sign: u32 = next < end ? load<u8>(next) : 0;
  if (sign === MINUS || sign === PLUS) next++;
  const first = next;
  for (; next < end && load<u8>(next) - ZERO <= 9; next++) {
    if (exponent < HUGE_EXPONENT) exponent = exponent * 10 + <i32>(load<u8>(next) - ZERO);
  }
  if (sign === MINUS) exponent = -exponent;
  return next === first ? at : next;
}

let number: u64 = 0;

/**
 * Takes a number, and an exponent of its base. Digits beyond the first `most` are cut off, which changes the
 * number by less than one unit in its last place.
 *
 * @param letter that begins an exponent.
 * @returns whether there is one.
 */
function takeDigits(start: usize, end: usize, base: u32, most: i32, letter: u32): bool {
  let digits: i32 = 0;
  let scale: i32 = 0;
  let hasPoint = false;
  let hasDigits = false;
  let at = start;
  let value: u64 = 0;
  for (; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (byte === POINT && !hasPoint) {
      hasPoint = true;
      continue;
    }
    const digit = hexDigit(byte);
    if (digit >= base) break;
    hasDigits = true;
    if (digits < most) {
      value = value * base + digit;
      if (value !== 0) digits++;
      if (hasPoint) scale--;
    } else if (!hasPoint) scale++;
  }
  if (!hasDigits) return false;
  number = value;
  exponent = 0;
  after = lower(at, end) === letter ? takeExponent(at, end) : at;
  exponent += base === 16 ? 4 * scale : scale;
  return true;
}

/** `number` times 2^power, in steps that do not overflow before the result does. */
function scaled(number: f64, power: i32): f64 {
  for (; power > 0 && number < Infinity && number > 0; power--) number *= 2;
  for (; power < 0 && number > 0; power++) number /= 2;
  return number;
}
