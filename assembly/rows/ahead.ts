// Rows lie anywhere in the memory. A core waits for several places at the same time, so rows are touched in groups
// before they are needed.

/** Rows whose bytes are read ahead. */
export const AHEAD: usize = 32;

/** Its use keeps the compiler from leaving out these reads. */
export let seen: u32 = 0;

/** Takes the sum of the bytes that were touched. */
export function keepTouched(sum: u32): void {
  seen = sum;
}
