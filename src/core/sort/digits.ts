import type { KeyBits } from "./key.js";

/** The bits of a key that one pass of a radix sort sorts by. */
export interface Digit {
  /** The lowest bit. */
  readonly shift: number;
  /** One less than the number of values that the digit can have. */
  readonly mask: number;
}

/**
 * Cuts a range of bits into digits, least significant first. A digit has at most `maxBits` bits and never
 * spans two words. An empty range has no digits.
 */
export function digitsOf({ begin, end }: KeyBits, maxBits: number): Digit[] {
  const digits: Digit[] = [];
  for (let shift = begin; shift < end; ) {
    const limit = shift < 32 && end > 32 ? 32 : end;
    const after = Math.min(shift + maxBits, limit);
    digits.push({ shift, mask: 2 ** (after - shift) - 1 });
    shift = after;
  }
  return digits;
}
