// Rows lie anywhere in the memory. A core waits for several places at the same time, so rows are prefetched in
// groups, by reads of their bytes.

/** Rows that are prefetched together. */
export const PREFETCHED_ROWS: usize = 32;

/** Its use keeps the compiler from leaving out these reads. */
export let seen: u32 = 0;

/** Takes the sum of the bytes that were read. */
export function keepReads(sum: u32): void {
  seen = sum;
}
