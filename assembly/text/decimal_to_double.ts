// The double that is nearest to a decimal number, as bits. W. D. Clinger, "How to read floating point numbers
// accurately", PLDI 1990, for short numbers; for others D. Lemire, "Number parsing at a gigabyte per second",
// Software: Practice and Experience 51 (2021), without its fallback: N. Mushtak and D. Lemire, "Fast number
// parsing without fallback", ibid. 53 (2023).

import { INFINITY_BITS } from "./constants";
import { powerOfTen } from "./digits";
import { floorLog2OfPowerOfTen, powerRow } from "./powers";
import { upperProduct } from "./wide";

const HIDDEN_BIT: u64 = 1 << 52;
const MOST_EXACT: u64 = 1 << 53;

/** The significand has 52 bits and the hidden one; one more decides how it is rounded. */
const KEPT_BITS: u64 = 54;

/** Below these bits of the first product, the second word of the power may matter. */
const UNSURE_BITS: u64 = 0x1ff;

/** `number` times 10^exponent, as the bits of the nearest double; infinity if it is too large. */
export function doubleBits(number: u64, exponent: i32, powers: usize): u64 {
  if (number === 0) return 0;
  if (number <= MOST_EXACT && exponent >= -19 && exponent <= 19) {
    const short = <f64>number;
    if (exponent < 0) return reinterpret<u64>(short / <f64>powerOfTen(-exponent));
    return reinterpret<u64>(short * <f64>powerOfTen(exponent));
  }
  if (exponent < -342) return 0;
  if (exponent > 308) return INFINITY_BITS;
  return longDoubleBits(number, exponent, powers);
}

function longDoubleBits(number: u64, exponent: i32, powers: usize): u64 {
  const shift = clz(number);
  const normal = number << shift;
  const row = powerRow(powers, exponent);
  let lower = normal * load<u64>(row);
  let upper = upperProduct(normal, load<u64>(row));
  if ((upper & UNSURE_BITS) === UNSURE_BITS) {
    const more = upperProduct(normal, load<u64>(row, 8));
    lower += more;
    if (lower < more) upper++;
  }
  const top = upper >> 63;
  const cut = top + 64 - KEPT_BITS - 1;
  let significand = upper >> cut;
  let biased = floorLog2OfPowerOfTen(exponent) + 63 + <i32>top - <i32>shift + 1023;
  if (biased <= 0) {
    if (biased <= -63) return 0;
    significand >>= 1 - biased;
    return (significand + (significand & 1)) >> 1; // reaching the hidden bit, it is the first normal number
  }
  // Exactly between two doubles, which only few powers allow: to the even one.
  const between = lower <= 1 && exponent >= -4 && exponent <= 23 && (significand & 3) === 1;
  if (between && significand << cut === upper) significand--;
  significand = (significand + (significand & 1)) >> 1;
  if (significand >= HIDDEN_BIT << 1) {
    significand = HIDDEN_BIT;
    biased++;
  }
  if (biased >= 0x7ff) return INFINITY_BITS;
  return (significand & (HIDDEN_BIT - 1)) | ((<u64>biased) << 52);
}
