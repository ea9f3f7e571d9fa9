const { setImmediate } = globalThis as { setImmediate?: (task: () => void) => void };

/** Resolves after the events that are waiting, such as signals. A timer would take a millisecond or more. */
export function nextTask(): Promise<void> {
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
