import {
  INF_WORD,
  INFINITY_BITS,
  LETTER_E,
  LOWER_CASE,
  MINUS,
  NAN_WORD,
  PLUS,
  POINT,
  ZERO,
} from "./constants";
import { doubleBits } from "./decimal_to_double";
import { charactersAt, countDigits, numberOf, powerOfTen } from "./digits";
import { HALF_INFINITY, halfBits } from "./halves";
import { nextLine, report, skipSpaces } from "./line";

const NINE: u32 = 57;

const INITY_WORD: u64 = 0x7974696e69;

const NAN_BITS: u64 = 0x7ff8000000000000;

/** The most digits that always fit 64 bits. */
const MOST_DIGITS: i32 = 19;

/** An exponent as large as this, or larger, makes any number 0 or infinite. */
const HUGE_EXPONENT: i32 = 1 << 28;

/** The number of the digits that were taken, modulo 2^64. */
let taken: u64 = 0;

function takeDigits(at: usize): usize {
  let n: u32 = 8;
  while (n === 8) {
    const characters = charactersAt(at);
    n = countDigits(characters);
    if (n > 0) taken = taken * powerOfTen(n) + numberOf(characters, n);
    at += n;
  }
  return at;
}

/** The exponent that `takeExponent` took. */
let exponent: i32 = 0;

/** Takes an exponent if there is one. @returns its end; 0 if it has no digits. */
function takeExponent(at: usize): usize {
  exponent = 0;
  if ((load<u8>(at) | LOWER_CASE) !== LETTER_E) return at;
  at++;
  const sign = load<u8>(at);
  if (sign === MINUS || sign === PLUS) at++;
  const start = at;
  for (;;) {
    const character = load<u8>(at);
    if (character < ZERO || character > NINE) break;
    if (exponent < HUGE_EXPONENT / 16) exponent = exponent * 10 + <i32>(character - ZERO);
    at++;
  }
  if (sign === MINUS) exponent = -exponent;
  return at === start ? 0 : at;
}

/** Bits of a double, to which the sign comes. */
let bits: u64 = 0;

/** Parses a number without its sign into `bits`. @returns its end; 0 if it is not understood. */
function parseNumber(start: usize, powers: usize): usize {
  taken = 0;
  const point = takeDigits(start);
  const hasPoint = load<u8>(point) === POINT;
  const end = hasPoint ? takeDigits(point + 1) : point;
  const digits = <i32>(end - start) - <i32>hasPoint;
  if (digits === 0) return 0;
  const next = takeExponent(end);
  if (next === 0) return 0;
  const decimals = hasPoint ? <i32>(end - point) - 1 : 0;
  if (digits <= MOST_DIGITS) {
    bits = doubleBits(taken, exponent - decimals, powers);
    return next;
  }
  return parseLong(start, end, point, decimals, powers) ? next : 0;
}

/** @returns whether the first digits decide which double it is. */
function parseLong(start: usize, end: usize, point: usize, decimals: i32, powers: usize): bool {
  let first = start;
  while (first < end && (load<u8>(first) === ZERO || load<u8>(first) === POINT)) first++;
  const more = <i32>(end - first) - <i32>(first < point && point < end) - MOST_DIGITS;
  if (more <= 0) {
    bits = doubleBits(taken, exponent - decimals, powers); // the digits before were zeros
    return true;
  }
  let number: u64 = 0;
  for (let n = 0; n < MOST_DIGITS; first++) {
    const character = load<u8>(first);
    if (character === POINT) continue;
    number = number * 10 + <u64>(character - ZERO);
    n++;
  }
  bits = doubleBits(number, exponent - decimals + more, powers);
  return bits === doubleBits(number + 1, exponent - decimals + more, powers);
}

/** Parses the words nan, inf and infinity into `bits`. @returns the end; 0 if it is none of them. */
function parseWord(at: usize, negative: bool): usize {
  const word = (load<u32>(at) | 0x202020) & 0xffffff;
  bits = word === NAN_WORD ? NAN_BITS : INFINITY_BITS;
  if (word === NAN_WORD) return negative ? 0 : at + 3;
  if (word !== INF_WORD) return 0;
  const rest = (load<u64>(at, 3) | 0x2020202020) & 0xffffffffff;
  return rest === INITY_WORD ? at + 8 : at + 3;
}

/** Whether a float of this width in bytes holds the number in `bits` without becoming infinite. */
function fits(bytes: u32): bool {
  if (bytes === 8) return bits < INFINITY_BITS;
  return bytes === 4 ? <f32>reinterpret<f64>(bits) < Infinity : halfBits(bits) < HALF_INFINITY;
}

/**
 * Parses the lines from `from` to `end`, one number each, until one is not understood or does not fit.
 *
 * @param bytes the bytes of a key. A shorter float than a double is one that is rounded once more.
 * @param powers the address of the powers of ten.
 */
export function parseFloats(
  from: usize,
  end: usize,
  keys: usize,
  bytes: u32,
  overflows: bool,
  skipsBlankLines: bool,
  powers: usize,
  done: usize,
): void {
  let at = from;
  let to = keys;
  let lines: u32 = 0;
  for (; at < end; lines++) {
    let start = skipSpaces(at);
    const sign = load<u8>(start);
    const negative = sign === MINUS;
    if (negative || sign === PLUS) start++;
    let isWord = false;
    let after = parseNumber(start, powers);
    if (after === 0) {
      isWord = true;
      after = parseWord(start, negative);
    }
    const next = after === 0 ? <usize>0 : nextLine(after);
    if (next === 0) {
      const blank = nextLine(at);
      if (blank === 0 || !skipsBlankLines) break;
      at = blank;
      continue;
    }
    const key = reinterpret<f64>(bits | ((<u64>negative) << 63));
    if (!isWord && !overflows && !fits(bytes)) break;
    if (bytes === 8) store<f64>(to, key);
    else if (bytes === 4) store<f32>(to, <f32>key);
    else store<u16>(to, <u16>(halfBits(bits) | ((<u32>negative) << 15)));
    to += bytes;
    at = next;
  }
  report(done, <u32>((to - keys) / bytes), lines, at - from);
}
