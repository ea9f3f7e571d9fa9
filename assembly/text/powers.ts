// The table of powers of ten that src/core/cpu/powers_of_ten.ts computes: the 128 most significant bits of 10^n,
// the upper word first. Those from 10^-27 to 10^-1 are rounded up; those from 10^0 to 10^55 are exact; the
// others are rounded down.

const LEAST: i32 = -342;
const FIRST_ROUNDED_UP: i32 = -27;
const LAST_EXACT: i32 = 55;

/** The address of the row of 10^n. */
export function powerRow(powers: usize, n: i32): usize {
  return powers + ((<usize>(n - LEAST)) << 4);
}

/** The exponent of the largest power of two that is at most 10^n. */
export function floorLog2OfPowerOfTen(n: i32): i32 {
  return (n * 1741647) >> 19;
}

/** Whether the row of 10^n is rounded down. */
export function isRoundedDown(n: i32): bool {
  return n < FIRST_ROUNDED_UP || n > LAST_EXACT;
}
