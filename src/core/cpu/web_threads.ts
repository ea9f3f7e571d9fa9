import { requireThreads } from "./control.js";
import { Crew, type StartedThread, type ThreadEvents } from "./crew.js";
import type { MemoryMessage, ThreadStart } from "./crew_thread.js";
import type { ThreadMessage } from "./web_worker.js";

/** The part of a browser's Worker that is used here. The project has no types of browsers. */
interface WebWorker {
  postMessage(message: ThreadStart | MemoryMessage | number): void;
  terminate(): void;
  onmessage: ((event: { data: ThreadMessage }) => void) | null;
  onerror: ((event: { message?: string; preventDefault(): void }) => void) | null;
}

declare const Worker: new (url: URL, options: { type: "module" }) => WebWorker;

const browser = globalThis as {
  crossOriginIsolated?: boolean;
  Worker?: unknown;
  navigator?: { hardwareConcurrency?: number };
};

/** More threads than this have not been measured, and a page is seldom alone. */
const MOST_BY_DEFAULT = 16;

/**
 * @param threads the number of threads that the caller wants. Default: as many as the browser has cores, and
 *   at most 16.
 * @returns that number; 1 where a page shares no memory with its workers.
 * @throws InputError unless the number is one from 1 to 255.
 */
export function webThreads(
  threads = Math.min(browser.navigator?.hardwareConcurrency ?? 1, MOST_BY_DEFAULT),
): number {
  requireThreads(threads);
  const mayShare = typeof browser.Worker === "function" && typeof SharedArrayBuffer === "function";
  return browser.crossOriginIsolated && mayShare ? threads : 1;
}

/** A thread that has not answered after this time in milliseconds never will: it loaded something else. */
const START_LIMIT_MS = 3000;

function start(message: ThreadStart, { ready, finished, failed }: ThreadEvents): StartedThread {
  // Bundlers know this form.
  const worker = new Worker(new URL("./web_worker.js", import.meta.url), { type: "module" });
  const limit = setTimeout(() => failed(new Error("it did not start")), START_LIMIT_MS);
  worker.onmessage = ({ data }) => {
    clearTimeout(limit);
    if (data === "ready") ready();
    else finished();
  };
  worker.onerror = (event) => {
    event.preventDefault(); // the page need not report it: the sort does
    failed(new Error(event.message || "it cannot be loaded"));
  };
  worker.postMessage(message);
  return {
    post: (next) => worker.postMessage(next),
    wake: (batch) => worker.postMessage(batch),
    end: () => {
      clearTimeout(limit);
      worker.onmessage = null;
      worker.onerror = null;
      worker.terminate();
    },
  };
}

let crew: Crew | undefined;

/**
 * The threads of this page. Unlike Node's (src/threads/), a worker must wait in its event loop, where messages
 * arrive, and so a message wakes it; it may end without an event, so a batch without progress fails. Where no
 * worker starts, because of a page's policy or a bundler, the calling thread does the work.
 */
export const webCrew = (): Crew => (crew ??= new Crew({ start, endsSilently: true }));
