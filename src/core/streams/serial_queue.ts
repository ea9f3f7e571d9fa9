/** Runs `work` after all earlier work. @returns the result of `work`. */
export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Creates a queue that runs pieces of work one after the other, in the order of the calls.
 *
 * @param afterFailure "stop": work after a failure does not run, and rejects with the same error. "continue":
 *   work after a failure runs.
 */
export function serialQueue(afterFailure: "stop" | "continue"): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = afterFailure === "stop" ? result : result.catch(() => {});
    result.catch(() => {}); // the caller handles the error; this only keeps it from counting as unhandled
    return result;
  };
}
