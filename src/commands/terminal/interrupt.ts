/**
 * Does some work, which must be synchronous, if a signal such as Ctrl-C ends the process: `main` emits "exit"
 * with the exit code of the signal.
 *
 * @returns a function that takes the work back.
 */
export function onInterrupt(work: () => void): () => void {
  const atExit = (code: number) => {
    if (code > 128) work();
  };
  process.once("exit", atExit);
  return () => process.off("exit", atExit);
}
