// The shortest decimal number that identifies a float. R. Giulietti, "The Schubfach way to render doubles",
// 2020, as in Java's Double.toString, but without its minimum of two digits.

import { powerOfTen } from "./digits";
import { floorLog2OfPowerOfTen, isRoundedDown, powerRow } from "./powers";
import { upperProduct } from "./wide";

const HIDDEN_BIT: u64 = 1 << 52;

/** The result of the functions below: `digits` times 10^`scale`. */
export let digits: u64 = 0;
export let scale: i32 = 0;

/** The words of the power of ten that numbers are scaled by, rounded up. */
let powerUpper: u64 = 0;
let powerLower: u64 = 0;

function setPower(powers: usize, n: i32): void {
  const row = powerRow(powers, n);
  powerUpper = load<u64>(row);
  powerLower = load<u64>(row, 8);
  if (isRoundedDown(n) && ++powerLower === 0) powerUpper++;
}

/** The upper word of `number` times the power. Its lowest bit is also set if there is a fraction. */
function scaled(number: u64): u64 {
  const carried = upperProduct(powerLower, number);
  const lower = powerUpper * number;
  const sum = lower + carried;
  return (upperProduct(powerUpper, number) + <u64>(sum < carried)) | <u64>(sum > 1);
}

/** floor(log10(2^exponent)), or floor(log10(3/4 * 2^exponent)) if `threeQuarters`. */
function floorLog10(exponent: i32, threeQuarters: bool): i32 {
  return (exponent * 1262611 - (threeQuarters ? 524031 : 0)) >> 22;
}

/**
 * Finds the shortest number that is nearest to a double, and the closest to it of several. A tie goes to the
 * even digit.
 *
 * @param magnitude the bits of a finite double without its sign, not 0.
 */
export function shortestDouble(magnitude: u64, powers: usize): void {
  const biased = <i32>(magnitude >> 52);
  const fraction = magnitude & (HIDDEN_BIT - 1);
  const significand = biased === 0 ? fraction : fraction | HIDDEN_BIT;
  const exponent = (biased === 0 ? 1 : biased) - 1075;
  // The doubles below a power of two are closer together.
  const closer = fraction === 0 && biased > 1;
  const k = floorLog10(exponent, closer);
  setPower(powers, -k);
  const shift = <u64>(exponent + floorLog2OfPowerOfTen(-k) + 1);
  const odd = significand & 1; // the ends of its range are rounded to an even double
  const value = scaled((4 * significand) << shift);
  const least = scaled((4 * significand - 2 + <u64>closer) << shift) + odd;
  const most = scaled((4 * significand + 2) << shift) - odd;

  const units = value >> 2;
  if (units >= 10) {
    const tens = units / 10;
    const isBelow = least <= 40 * tens;
    if (isBelow !== 40 * tens + 40 <= most) {
      digits = tens + <u64>!isBelow;
      scale = k + 1;
      return;
    }
  }
  const isBelow = least <= 4 * units;
  const isAbove = 4 * units + 4 <= most;
  const middle = 4 * units + 2;
  const up = isBelow !== isAbove ? isAbove : value > middle || (value === middle && (units & 1) !== 0);
  digits = units + <u64>up;
  scale = k;
}

/** The powers of ten by which a double has at most 17 digits. */
const MOST_SHORTER: i32 = 17;

/** What tells f32 and f16 from doubles: the exponents of the least normal ones, and bits of a significand. */
const LEAST_32: i32 = 1023 - 126;
const LEAST_16: i32 = 1023 - 14;
const FRACTION_BITS_32: u64 = 23;
const FRACTION_BITS_16: u64 = 10;

/**
 * Finds the shortest number that is the nearest one of its length to an f32 or an f16, and that reads as it: as
 * a double, and then rounded once more. A tie goes up.
 *
 * @param magnitude the bits of the float as a double, without its sign, not 0.
 * @param bytes 4 for an f32, 2 for an f16.
 */
export function shortestFloat(magnitude: u64, bytes: u32, powers: usize): void {
  const biased = <i32>(magnitude >> 52);
  const fraction = magnitude & (HIDDEN_BIT - 1);
  const significand = fraction | HIDDEN_BIT;
  const exponent = biased - 1075;
  // Half the distance to the next float, in quarters of the double's last bit. Subnormals are further apart.
  const least = bytes === 4 ? LEAST_32 : LEAST_16;
  const fractionBits = bytes === 4 ? FRACTION_BITS_32 : FRACTION_BITS_16;
  const half = (<u64>1) << (53 - fractionBits + <u64>max(least - biased, 0));
  const closer = fraction === 0 && biased > least;
  // Numbers up to half a double's last bit beyond the middle between two floats are rounded to the middle, and
  // then to the even float.
  const odd = (significand & (half >> 1)) !== 0;
  const below = (half >> <u64>closer) + (odd ? -1 : 1) * (fraction === 0 ? 1 : 2);
  const above = half + (odd ? -2 : 2);

  const k = floorLog10(exponent, false);
  setPower(powers, -k);
  const shift = <u64>(exponent + floorLog2OfPowerOfTen(-k) + 1);
  const value = scaled((4 * significand) << shift);
  const lowest = scaled((4 * significand - below) << shift) + <u64>odd;
  const most = scaled((4 * significand + above) << shift) - <u64>odd;

  const range = (most - lowest) >> 2;
  let dropped = MOST_SHORTER;
  if (!closer) while (dropped > 0 && powerOfTen(dropped - 1) > range) dropped--;
  for (; ; dropped--) {
    const step = powerOfTen(dropped);
    const rounded = (value + 2 * step) / (4 * step);
    const candidate = 4 * step * rounded;
    if (dropped > 0 && (candidate < lowest || candidate > most)) continue;
    digits = rounded;
    scale = k + dropped;
    return;
  }
}
