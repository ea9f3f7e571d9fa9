import { upperProduct } from "../text/wide";

/**
 * The 128-bit linear congruential generator of gensort: each random number is A times the one before it, plus
 * C, modulo 2^128. A is from P. L'Ecuyer, "Tables of linear congruential generators of different sizes and good
 * lattice structure", 1999. src/graysort/gensort.ts has the same generator, and skips numbers.
 */
const A_HIGH: u64 = 0x2360ed051fc65da4;
const A_LOW: u64 = 0x4385df649fccf645;
const C_HIGH: u64 = 0x4a696d4772617952;
const C_LOW: u64 = 0x4950202020202001;

/**
 * Where records begin: the random number of the first in two words, the lower one first; and its own number.
 */
const HIGH: usize = 8;
const NUMBER: usize = 16;

/** Bytes of a random number. */
export const NUMBER_BYTES: usize = 16;

/** @returns the number of the first record, from 0. */
export function firstRecord(start: usize): u64 {
  return load<u64>(start, NUMBER);
}

/**
 * Writes the next `n` random numbers, their most significant bytes first.
 *
 * @param start the next random number. It moves on.
 */
export function makeNumbers(start: usize, to: usize, n: usize): void {
  let low = load<u64>(start);
  let high = load<u64>(start, HIGH);
  for (const end = to + n * NUMBER_BYTES; to < end; to += NUMBER_BYTES) {
    store<u64>(to, bswap<u64>(high));
    store<u64>(to, bswap<u64>(low), 8);
    const next = low * A_LOW + C_LOW;
    const carry = u64(next < C_LOW);
    high = upperProduct(low, A_LOW) + low * A_HIGH + high * A_LOW + C_HIGH + carry;
    low = next;
  }
  store<u64>(start, low);
  store<u64>(start, high, HIGH);
}
