import { availableParallelism } from "node:os";
import { CpuEngine } from "../core/engines/cpu.js";
import { InputError } from "../core/errors.js";
import { MOST_THREADS } from "./control.js";
import { ThreadPool } from "./thread_pool.js";

/** The number of threads by default: as many as the process may use at a time, and a pool can have. */
export function defaultThreads(): number {
  return Math.min(availableParallelism(), MOST_THREADS);
}

/**
 * Makes an engine that sorts on the threads of this machine's CPU.
 *
 * @param threads the most threads to use, from 1 to 255; a small sort uses fewer. Default: as many as the
 *   process may use at a time.
 * @throws InputError if the number of threads is wrong.
 */
export function cpuEngine(threads = defaultThreads()): CpuEngine {
  if (!Number.isInteger(threads) || threads < 1 || threads > MOST_THREADS) {
    throw new InputError(`the number of threads cannot be ${threads}`, {
      hint: `give a whole number from 1 to ${MOST_THREADS}, or leave it out to use all cores`,
      options: ["threads"],
    });
  }
  return new CpuEngine(threads > 1 ? new ThreadPool(threads) : undefined);
}
