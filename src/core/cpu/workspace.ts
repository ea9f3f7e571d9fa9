import type { KeyBits } from "../sort/key.js";
import { FINDINGS_BYTES } from "./findings.js";
import { countTablesBytes } from "./radix_sort.js";
import { MAX_MEMORY_BYTES, tablesAt } from "./runner.js";

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

/** Where things are in the memory that the kernels work in. All addresses are in bytes. */
export interface Workspace {
  readonly bytes: number;
  readonly countTables: number;
  /** Findings of the input, then of the result. */
  readonly findings: readonly [before: number, after: number];
  /** The keys as the caller stores them. Where a key and its element have the same size, these are in place. */
  readonly keys: number;
  readonly elements: number;
  readonly scratch: number;
}

/** Keys that are read, converted or written at a time. */
export const WINDOW_KEYS = 2 ** 19;

/** Vectors and cache lines begin at multiples of this. */
const ALIGNMENT = 64;

/** Lays out the memory for a sort of `count` keys on `threads` threads. */
export function workspaceFor(form: ElementForm, count: number, threads: number): Workspace {
  let next = tablesAt(threads);
  const take = (bytes: number): number => {
    const at = next;
    next += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    return at;
  };
  const rows = Math.ceil(count / WINDOW_KEYS) * threads;
  const countTables = take(countTablesBytes(threads));
  const findings = [take(rows * FINDINGS_BYTES), take(rows * FINDINGS_BYTES)] as const;
  const elements = take(count * form.bytes);
  const scratch = take(count * form.bytes);
  const keys = form.keyBytes === form.bytes ? elements : take(count * form.keyBytes);
  return { bytes: next, countTables, findings, keys, elements, scratch };
}

/** The most keys that the memory holds. */
export function largestCount(form: ElementForm, threads: number): number {
  const perKey = 2 * form.bytes + (form.keyBytes === form.bytes ? 0 : form.keyBytes);
  const rows = (2 * threads * FINDINGS_BYTES) / WINDOW_KEYS;
  const fixed = workspaceFor(form, 0, threads).bytes + 8 * ALIGNMENT + 4 * threads * FINDINGS_BYTES;
  return Math.floor((MAX_MEMORY_BYTES - fixed) / (perKey + rows));
}
