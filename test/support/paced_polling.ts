/**
 * While a promise of a device is pending, Dawn asks the driver for news in every turn of the event loop, by
 * `setImmediate`. That keeps a core busy, which a software adapter needs to compile kernels and to run them.
 * With a pause before each turn, tests on such an adapter take about half of the CPU's time.
 */
const PAUSE_MS = 0.2;

const { setImmediate: soon } = globalThis;
const never = new Int32Array(new SharedArrayBuffer(4));

globalThis.setImmediate = Object.assign(
  (task: (...args: unknown[]) => void, ...args: unknown[]) =>
    soon(() => {
      Atomics.wait(never, 0, 0, PAUSE_MS);
      task(...args);
    }),
  soon, // its version for promises
);
