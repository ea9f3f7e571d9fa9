import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { isatty } from "node:tty";
import type { FailureListener, OpenedDevice } from "../../dawn/adapter.js";
import type { AdapterSummary } from "../../dawn/choose_adapter.js";

const STDERR = 2;
const NOWHERE = "/dev/null";

/** Like `openDevice`, but hides what Dawn writes to standard error. */
export async function openDeviceHidingOutput(
  selector: string,
  onFailure?: FailureListener,
): Promise<OpenedDevice | undefined> {
  const { openDevice } = await import("../../dawn/adapter.js"); // few sorts need it
  const opened = await hideDawnOutput(() => openDevice(selector, onFailure));
  opened?.gpu.keepUntilExit(); // a command ends after its work
  return opened;
}

/** Like `listAdapters`, but hides what Dawn writes to standard error. */
export async function listAdaptersHidingOutput(onFailure?: FailureListener): Promise<AdapterSummary[]> {
  const { listAdapters } = await import("../../dawn/adapter.js");
  return hideDawnOutput(() => listAdapters(onFailure));
}

/**
 * Runs work while standard error is redirected to /dev/null. Dawn's native code prints two warnings each time
 * it looks at a lavapipe adapter. The redirection is made only on Linux, and only if standard error is a
 * terminal or a pipe: those can be opened a second time, while a file would lose its position.
 * GPUSORT_DAWN_LOG=on turns it off.
 *
 * No other part of gpusort may open files during the work: for an instant, descriptor 2 is free.
 */
async function hideDawnOutput<T>(work: () => Promise<T>): Promise<T> {
  const restore = process.env.GPUSORT_DAWN_LOG === "on" ? undefined : muteStderr();
  try {
    return await work();
  } finally {
    restore?.();
  }
}

/** @returns a function that restores standard error; undefined if standard error was not redirected. */
function muteStderr(): (() => void) | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    // A named pipe is not redirected: opening it again never returns if its reader is gone.
    if (!isatty(STDERR) && !targetOf(STDERR).startsWith("pipe:")) return undefined;
    const saved = openAgain(STDERR);
    closeSync(STDERR);
    claimStderr(() => openSync(NOWHERE, constants.O_WRONLY));
    return () => {
      if (targetOf(STDERR) === NOWHERE) closeSync(STDERR);
      claimStderr(() => openAgain(saved));
      closeSync(saved);
    };
  } catch {
    return undefined; // standard error is closed, or there is no /proc
  }
}

const ATTEMPTS = 1000;

/**
 * Opens something as descriptor 2, which must be free. If a driver's thread opens a file at that moment, its
 * file gets number 2 instead. That file is left alone, and opening is tried again until the thread has closed
 * it.
 */
function claimStderr(open: () => number): void {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const descriptor = open();
    if (descriptor === STDERR) return;
    closeSync(descriptor);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); // a millisecond
  }
}

function targetOf(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}

/** Opens the pipe or terminal of a descriptor again, as a new descriptor. */
function openAgain(descriptor: number): number {
  return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NOCTTY);
}
