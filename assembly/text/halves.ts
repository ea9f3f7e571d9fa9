// Floats of 16 bits (IEEE 754 binary16), by their bits.

import { INFINITY_BITS } from "./constants";

export const HALF_INFINITY: u32 = 0x7c00;
const HALF_NAN: u32 = 0x7e00;
const HALF_SIGN: u32 = 0x8000;

/** From here on, doubles are rounded to infinity. */
const MOST: f64 = 65520;
/** The least normal f16, and how many of the subnormals' unit are 1. */
const LEAST_NORMAL: f64 = 0.00006103515625;
const UNITS: f64 = 16777216;

/** The bits by which the significand of a double is longer, and an exponent that is greater by this. */
const DROPPED_BITS: u64 = 42;
const EXPONENT_OFFSET: u32 = (1023 - 15) << 10;

/** The f16 nearest to a double, to the even one of two. @param magnitude the double's bits without the sign. */
export function halfBits(magnitude: u64): u32 {
  if (magnitude > INFINITY_BITS) return HALF_NAN;
  const number = reinterpret<f64>(magnitude);
  if (number >= MOST) return HALF_INFINITY;
  if (number < LEAST_NORMAL) return <u32>nearest(number * UNITS);
  const odd = (magnitude >> DROPPED_BITS) & 1;
  const rounded = (magnitude + (((<u64>1) << (DROPPED_BITS - 1)) - 1) + odd) >> DROPPED_BITS;
  return <u32>rounded - EXPONENT_OFFSET;
}

/** The number that an f16 is. */
export function halfValue(bits: u32): f64 {
  const magnitude = bits & (HALF_SIGN - 1);
  let value: f64;
  if (magnitude < 1 << 10) value = <f64>magnitude / UNITS;
  else if (magnitude > HALF_INFINITY) value = NaN;
  else if (magnitude === HALF_INFINITY) value = Infinity;
  else value = reinterpret<f64>((<u64>(magnitude + EXPONENT_OFFSET)) << DROPPED_BITS);
  return (bits & HALF_SIGN) !== 0 ? -value : value;
}
