import { InputError } from "../errors.js";

/** The most threads. */
export const MOST_THREADS = 255;

/** @throws InputError unless the number is one from 1 to 255. */
export function requireThreads(threads: number): void {
  if (Number.isInteger(threads) && threads >= 1 && threads <= MOST_THREADS) return;
  throw new InputError(`the number of threads cannot be ${threads}`, {
    hint: `give a whole number from 1 to ${MOST_THREADS}, or leave it out to use all cores`,
    options: ["threads"],
  });
}
