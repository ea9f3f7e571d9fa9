// How much a call does before it ends, so that a thread which must handle signals is soon free again. It is
// counted in bytes of the text that are read: a core reads 10^9 of them in a second, or a few times as many.

const MOST: i64 = 1 << 26;

/** The cost of a cache miss, in bytes of text: a row may lie anywhere in the memory. */
export const CACHE_MISS_BYTES: usize = 64;

let left: i64 = 0;

export function startBudget(): void {
  left = MOST;
}

export function charge(bytes: usize): void {
  left -= <i64>bytes;
}

/** Whether the call should end now. */
export function isBudgetUsedUp(): bool {
  return left <= 0;
}
