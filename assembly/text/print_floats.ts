// Floats in the notation of JavaScript's String(), but nan and inf for its words.

import { INF_WORD, INFINITY_BITS, LETTER_E, LINE_FEED, MINUS, NAN_WORD, PLUS, POINT } from "./constants";
import { writeNumber } from "./digits";
import { halfValue } from "./halves";
import { report } from "./line";
import { digits, scale, shortestDouble, shortestFloat } from "./shortest";

const ZEROS: u64 = 0x3030303030303030;
const ZERO_POINT_ZEROS: u64 = 0x3030303030302e30;

const SIGN: u64 = 0x8000000000000000;

/** Numbers from 10^21 on, and below 10^-6, have an exponent. */
const MOST_PLACES: i32 = 21;
const LEAST_PLACES: i32 = -6;

/** Whole numbers below this have all their digits. */
const MOST_EXACT: f64 = 9007199254740992;

/** Prints `n` floats of `bytes` bytes, one on each line. */
export function printFloats(keys: usize, n: u32, into: usize, bytes: u32, powers: usize, done: usize): void {
  const end = keys + <usize>n * bytes;
  let to = into;
  for (let at = keys; at < end; at += bytes) {
    to = printFloat(to, keyAt(at, bytes), bytes, powers);
    store<u8>(to++, LINE_FEED);
  }
  report(done, n, n, to - into);
}

function keyAt(at: usize, bytes: u32): f64 {
  if (bytes === 8) return load<f64>(at);
  return bytes === 4 ? <f64>load<f32>(at) : halfValue(load<u16>(at));
}

function printFloat(at: usize, key: f64, bytes: u32, powers: usize): usize {
  const bits = reinterpret<u64>(key);
  const magnitude = bits & ~SIGN;
  if (magnitude > INFINITY_BITS) {
    store<u32>(at, NAN_WORD);
    return at + 3;
  }
  if (bits !== magnitude) store<u8>(at++, MINUS);
  if (magnitude === INFINITY_BITS) {
    store<u32>(at, INF_WORD);
    return at + 3;
  }
  const positive = reinterpret<f64>(magnitude);
  if (bytes === 8 && positive < MOST_EXACT && trunc(positive) === positive) {
    return writeNumber(at, <u64>positive);
  }
  if (magnitude === 0) return writeNumber(at, 0);
  if (bytes === 8) shortestDouble(magnitude, powers);
  else shortestFloat(magnitude, bytes, powers);
  return writeDecimal(at, digits, scale);
}

/** Writes `number` times 10^`exponent`. May write up to 24 bytes more. */
function writeDecimal(at: usize, number: u64, exponent: i32): usize {
  if (number % 100000000 === 0) {
    number /= 100000000;
    exponent += 8;
  }
  while (number % 10 === 0) {
    number /= 10;
    exponent++;
  }
  const end = writeNumber(at, number);
  const count = <i32>(end - at);
  const places = count + exponent;
  if (places > MOST_PLACES || places <= LEAST_PLACES) return writeScientific(at, end, places - 1);
  if (places >= count) {
    for (let zeros = end; zeros < at + places; zeros += 8) store<u64>(zeros, ZEROS);
    return at + places;
  }
  if (places > 0) {
    insertPoint(at + places);
    return end + 1;
  }
  store<u64>(at, ZERO_POINT_ZEROS);
  return writeNumber(at + 2 - places, number);
}

/** Moves up to 24 characters by one, and puts a point in front of them. */
function insertPoint(at: usize): void {
  const first = v128.load(at);
  const others = load<u64>(at, 16);
  v128.store(at, first, 1);
  store<u64>(at, others, 17);
  store<u8>(at, POINT);
}

function writeScientific(at: usize, end: usize, exponent: i32): usize {
  if (end > at + 1) {
    insertPoint(at + 1);
    end++;
  }
  store<u8>(end++, LETTER_E);
  store<u8>(end++, exponent < 0 ? MINUS : PLUS);
  return writeNumber(end, <u64>abs(exponent));
}
