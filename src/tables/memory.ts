import { InputError } from "../core/errors.js";

/** Bytes that the sort keeps for each row besides the table: codes, keys and indices. */
const BYTES_PER_ROW = 48;
/** A table is in memory twice while its pieces are put together. */
const JOIN_COPIES = 2;

/** The part of the memory that threads may take which unpack and pack pieces of tables. */
const THREADS_SHARE = 1 / 8;

/** Rows are numbered by u32, and the last number means none. */
export const MOST_ROWS = 2 ** 32 - 2;
/** No column may have more bytes in one buffer: offsets are u32. */
export const MOST_BYTES = 2 ** 32 - 1;

/** About how many bytes of memory a sort of rows takes that are in memory at once. */
export function bytesToSort(bytes: number, rows: number): number {
  return JOIN_COPIES * bytes + BYTES_PER_ROW * rows;
}

/** Bytes that threads may take which unpack and pack pieces of tables. @param budget those of the sort. */
export const threadBytes = (budget: number): number => budget * THREADS_SHARE;

/**
 * @param what has to be in memory at once.
 * @param needed bytes of memory that it takes.
 * @param hint how it would take less.
 * @throws InputError if they are more than the budget.
 */
export function requireMemory(what: string, needed: number, budget: number, hint: string): void {
  if (needed <= budget) return;
  throw new InputError(
    `to sort ${what} takes more than ${Math.ceil(needed)} bytes of memory, but only ${budget} may be used`,
    { hint: `give the sort more of it, or ${hint}`, options: ["memoryBytes"] },
  );
}
