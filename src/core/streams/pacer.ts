import { nextTask } from "./next_task.js";

/** Called between pieces of a long computation. */
export type Pause = () => Promise<void>;

/** So long may a computation keep the event loop waiting, in milliseconds. */
const TURN_MS = 50;

/**
 * Makes a function that lets the event loop turn if its last turn was 50 ms ago or more, so that timers,
 * signals and progress are served during a long computation.
 *
 * @returns a function that throws the signal's reason if the signal has aborted.
 */
export function pacer(signal: AbortSignal | undefined): Pause {
  let turned = performance.now();
  return async () => {
    if (performance.now() - turned < TURN_MS) return;
    await nextTask();
    signal?.throwIfAborted();
    turned = performance.now();
  };
}
