// How much a call does before it ends, so that a thread which must handle signals is soon free again. It is
// counted in bytes of the text that are read: a core reads 10^9 of them in a second, or a few times as many.

const MOST: i64 = 1 << 26;

/** What a comparison or a word costs besides, in bytes: a row may lie anywhere in the memory. */
export const FAR: usize = 64;

let left: i64 = 0;

export function beginEffort(): void {
  left = MOST;
}

export function spend(bytes: usize): void {
  left -= <i64>bytes;
}

/** Whether the call should end now. */
export function isSpent(): bool {
  return left <= 0;
}
