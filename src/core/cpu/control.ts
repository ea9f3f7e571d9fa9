import { InputError } from "../errors.js";
import { shown } from "../names.js";
import type { KernelCall } from "./program.js";

/**
 * The memory by which threads are told what to run, as words. A batch of calls is announced by a new
 * number. Each thread that takes part takes calls until none is left.
 */
export const Word = {
  /** The number of the batch, and in the lowest byte how many threads take part. Threads wait for it. */
  batch: 0,
  /** The next call that no thread has taken. */
  next: 1,
  /** The number of calls. */
  count: 2,
  /** The threads that have finished. */
  finished: 3,
  /** The kernel's place in the names of its program. */
  kernel: 4,
  /** The number of the memory that the kernel works in. */
  memory: 5,
  /** Here the calls begin. */
  calls: 8,
} as const;

/** The words of a call: the number of its arguments, and the arguments. */
const CALL_WORDS = 12;

/** The most calls of a batch. */
export const BATCH_CALLS = 4096;

const CONTROL_BYTES = 4 * (Word.calls + BATCH_CALLS * CALL_WORDS);

export const newControl = (): Int32Array => new Int32Array(new SharedArrayBuffer(CONTROL_BYTES));

/** The word of a batch. @param number counts the batches. */
export const batchWord = (number: number, active: number): number => (number << 8) | active;

/** The most threads: their number is a byte of the word of a batch. */
export const MOST_THREADS = 255;

/** How many threads take part in a batch. */
export const activeThreads = (batch: number): number => batch & MOST_THREADS;

export function putCall(control: Int32Array, place: number, call: KernelCall): void {
  const at = Word.calls + place * CALL_WORDS;
  control[at] = call.length;
  control.set(call, at + 1);
}

/** Instead of the number of arguments, once the call has ended. */
const ENDED = -1;

export function endCall(control: Int32Array, place: number): void {
  Atomics.store(control, Word.calls + place * CALL_WORDS, ENDED);
}

export function hasEnded(control: Int32Array, place: number): boolean {
  return Atomics.load(control, Word.calls + place * CALL_WORDS) === ENDED;
}

export function callAt(control: Int32Array, place: number): number[] {
  const at = Word.calls + place * CALL_WORDS;
  return [...control.subarray(at + 1, at + 1 + control[at]!)];
}

/** @throws InputError unless the number is one from 1 to 255. */
export function requireThreads(threads: number): void {
  if (Number.isInteger(threads) && threads >= 1 && threads <= MOST_THREADS) return;
  throw new InputError(`the number of threads cannot be ${shown(threads)}`, {
    hint: `give a whole number from 1 to ${MOST_THREADS}, or leave it out to use all cores`,
    options: ["threads"],
  });
}
