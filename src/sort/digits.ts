import type { KeyBits } from "./key.js";

/** Bits that one radix pass sorts by. */
export interface Digit {
  readonly shift: number;
  /** One less than the number of its values. */
  readonly mask: number;
}

/** The digits of a range of bits, least significant first, each of at most so many bits and within one word. */
export function digitsOf({ begin, end }: KeyBits, mostBits: number): Digit[] {
  const digits: Digit[] = [];
  for (let shift = begin; shift < end; ) {
    const limit = shift < 32 && end > 32 ? 32 : end;
    const after = Math.min(shift + mostBits, limit);
    digits.push({ shift, mask: 2 ** (after - shift) - 1 });
    shift = after;
  }
  return digits;
}
