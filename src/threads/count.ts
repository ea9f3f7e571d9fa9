import { availableParallelism } from "node:os";
import { MOST_THREADS, requireThreads } from "../core/cpu/control.js";

export { MOST_THREADS };

/** The number of threads by default: as many as the process may use at a time, and at most 255. */
export function defaultThreads(): number {
  return Math.min(availableParallelism(), MOST_THREADS);
}

/**
 * @param threads the number of threads that the caller wants.
 * @returns that number; 1 where this process may start no threads, or shares no memory with them.
 * @throws InputError unless the number is one from 1 to 255.
 */
export function usableThreads(threads = defaultThreads()): number {
  requireThreads(threads);
  // Node's permission model forbids threads, unless it is told otherwise.
  const { permission } = process as { permission?: { has(scope: string): boolean } };
  const mayStart = typeof SharedArrayBuffer === "function" && permission?.has("worker") !== false;
  return mayStart ? threads : 1;
}
