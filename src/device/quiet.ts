import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { isatty } from "node:tty";

const STDERR = 2;

/**
 * Runs work while what native code writes to standard error goes nowhere: Dawn warns of every lavapipe limit, two lines
 * each time it looks at an adapter. Only on Linux, and only where standard error is a terminal or a pipe: those can be
 * opened a second time, while a file would lose its position. GPUSORT_DAWN_LOG=on lets Dawn speak.
 *
 * Nothing else may open files meanwhile: for an instant, descriptor 2 is free.
 */
export async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const restore = process.env.GPUSORT_DAWN_LOG === "on" ? undefined : muteStderr();
  try {
    return await work();
  } finally {
    restore?.();
  }
}

function muteStderr(): (() => void) | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    // Not a named pipe either: to open one whose reader has left would wait for ever.
    if (!isatty(STDERR) && !readlinkSync(`/proc/self/fd/${STDERR}`).startsWith("pipe:")) return undefined;
    const saved = reopen(STDERR);
    closeSync(STDERR);
    openSync("/dev/null", constants.O_WRONLY);
    return () => {
      closeSync(STDERR);
      let descriptor = reopen(saved);
      // A driver's thread may have been given descriptor 2 in between, and gives it back soon.
      while (descriptor !== STDERR) {
        closeSync(descriptor);
        descriptor = reopen(saved);
      }
      closeSync(saved);
    };
  } catch {
    return undefined; // a closed descriptor, or no /proc
  }
}

/** The same pipe or terminal under the lowest free descriptor. */
function reopen(descriptor: number): number {
  return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NOCTTY);
}
