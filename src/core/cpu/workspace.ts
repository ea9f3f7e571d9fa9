import type { KeyBits } from "../sort/key.js";
import { FINDINGS_BYTES } from "./findings.js";
import { MAX_MEMORY_BYTES, tablesAt } from "./memory.js";
import {
  CALLS_PER_THREAD,
  DIGIT_BITS,
  MOST_SPREAD_BITS,
  PIECE_BYTES,
  spreadBits,
  spreadBufferBytes,
  windowKeys,
} from "./tuning.js";

/** How keys become elements: see assembly/element.ts. */
export interface ElementForm {
  readonly keyBytes: 1 | 2 | 4 | 8;
  /** Bytes of an element. */
  readonly bytes: 4 | 8 | 16;
  /** Whether an element is a key with its index. */
  readonly pairs: boolean;
}

export function elementForm(keyBytes: 1 | 2 | 4 | 8, pairs: boolean): ElementForm {
  if (pairs) return { keyBytes, bytes: keyBytes === 8 ? 16 : 8, pairs };
  return { keyBytes, bytes: keyBytes === 8 ? 8 : 4, pairs };
}

/** The bits of an element's first word that hold these bits of its key. */
export function elementBits({ bytes, pairs }: ElementForm, { begin, end }: KeyBits): KeyBits {
  const offset = pairs && bytes === 8 ? 32 : 0; // the index is in the lower half
  return { begin: begin + offset, end: end + offset };
}

/** Bytes of the table in which a thread counts the elements by a digit. */
export const COUNT_TABLE_BYTES = 4 << DIGIT_BITS;

/** Bytes of what all kernel calls of a sort have in common: see assembly/job.ts. */
export const JOB_BYTES = 64;

/** The bits of the prefixes that a table of buckets is for: those of an f64's exponent, and six others. */
export const PREFIX_BITS = 18;

/**
 * Where a table of buckets has the end of each, and their number, behind the bucket of each prefix: see
 * assembly/buckets.ts.
 */
export const BUCKET_ENDS_AT = 2 * 2 ** PREFIX_BITS;
export const BUCKET_COUNT_AT = BUCKET_ENDS_AT + 2 ** MOST_SPREAD_BITS;
const BUCKET_TABLE_BYTES = BUCKET_COUNT_AT + 4;

/** Where elements are kept that were divided by a digit, piece by piece. */
export interface SpreadPlaces {
  /** The most bits of the digit. */
  readonly bits: number;
  /** The address of the first piece's row: see assembly/spread.ts. */
  readonly rows: number;
  /** Bytes from row to row. */
  readonly stride: number;
  /** The pieces of a window. */
  readonly windowPieces: number;
  /** The address of the first thread's buffer. */
  readonly buffers: number;
  /** Bytes of a thread's buffer. */
  readonly bufferBytes: number;
  /** The address of a table of buckets. */
  readonly buckets: number;
}

/** Where things are in the memory that the kernels work in. All addresses are in bytes. */
export interface Workspace {
  readonly bytes: number;
  /** What all kernel calls have in common. */
  readonly job: number;
  readonly countTables: number;
  /** A row for each kernel call that inspects elements. */
  readonly findings: number;
  readonly findingsRows: number;
  /**
   * The keys as the caller stores them. Where a key and its element have the same size, these are in place.
   */
  readonly keys: number;
  readonly elements: number;
  readonly scratch: number;
  /** Absent where elements are not divided while others are read. */
  readonly spread?: SpreadPlaces | undefined;
}

/** Vectors and cache lines begin at multiples of this. */
const ALIGNMENT = 64;

/** The next multiple of 64, so that a part of the memory may begin there. */
export const aligned = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Lays out the memory for a sort of `count` keys on `threads` threads. */
export function workspaceFor(form: ElementForm, count: number, threads: number): Workspace {
  let next = tablesAt(threads);
  const take = (bytes: number): number => {
    const at = next;
    next += aligned(bytes);
    return at;
  };
  const job = take(JOB_BYTES);
  // Also has the ends of the elements of all digits that are sorted one by one: see radix_sort.ts.
  const countTables = take(Math.max(threads * COUNT_TABLE_BYTES, 4 << MOST_SPREAD_BITS));
  const findingsRows = 2 * CALLS_PER_THREAD * threads + 1;
  const findings = take(findingsRows * FINDINGS_BYTES);
  const elements = take(count * form.bytes);
  const scratch = take(count * form.bytes);
  const keys = form.keyBytes === form.bytes ? elements : take(count * form.keyBytes);
  const own = { job, countTables, findings, findingsRows, keys, elements, scratch };
  const plain = { bytes: next, ...own };
  const bits = spreadBits(count * form.bytes, threads);
  if (bits === 0) return plain;

  const windowCount = windowKeys(count, threads);
  const windows = Math.ceil(count / windowCount);
  const fitting = Math.max(threads, Math.ceil((windowCount * form.bytes) / PIECE_BYTES));
  const windowPieces = Math.min(fitting, findingsRows);
  // Rows a cache line longer than needed do not all begin in the same lines of the cache.
  const stride = 4 * 2 ** bits + ALIGNMENT;
  const rows = take(windows * windowPieces * stride);
  const bufferBytes = spreadBufferBytes(count * form.bytes, bits);
  const buffers = take(threads * bufferBytes);
  const buckets = take(BUCKET_TABLE_BYTES);
  if (next > MAX_MEMORY_BYTES) return plain;
  return { bytes: next, ...own, spread: { bits, rows, stride, windowPieces, buffers, bufferBytes, buckets } };
}

/** Bytes of the workspace for each key. */
export function bytesPerKey({ bytes, keyBytes }: ElementForm): number {
  return 2 * bytes + (keyBytes === bytes ? 0 : keyBytes);
}

/** The most keys that the memory holds. */
export function largestCount(form: ElementForm, threads: number): number {
  const fixed = workspaceFor(form, 0, threads).bytes + 3 * ALIGNMENT;
  return Math.floor((MAX_MEMORY_BYTES - fixed) / bytesPerKey(form));
}
