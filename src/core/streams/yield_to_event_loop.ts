const { setImmediate } = globalThis as { setImmediate?: (task: () => void) => void };

/** Resolves after the events that are waiting, such as signals. A timer would take a millisecond or more. */
export function yieldToEventLoop(): Promise<void> {
  if (setImmediate) return new Promise(setImmediate);
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    Object.assign(port1, {
      onmessage: () => {
        port1.close();
        resolve();
      },
    });
    port2.postMessage(undefined);
  });
}

/** Called between pieces of a long computation. */
export type Pause = () => Promise<void>;

/** How long a computation may keep the event loop waiting, in milliseconds. */
const TURN_MS = 50;

/**
 * Makes a function that yields to the event loop if it last did so 50 ms ago or more, so that timers, signals
 * and progress are served during a long computation.
 *
 * @returns a function that throws the signal's reason if the signal has aborted.
 */
export function periodicYield(signal: AbortSignal | undefined): Pause {
  let yielded = performance.now();
  return async () => {
    if (performance.now() - yielded < TURN_MS) return;
    await yieldToEventLoop();
    signal?.throwIfAborted();
    yielded = performance.now();
  };
}
