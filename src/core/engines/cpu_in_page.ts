import { CallingThread } from "../cpu/runner.js";
import { ThreadPool } from "../cpu/thread_pool.js";
import { webCrew, webThreads } from "../cpu/web_threads.js";
import { CpuEngine } from "./cpu.js";

/**
 * Makes an engine that sorts in Web Workers if the page is cross-origin isolated; else, and wherever workers
 * do not start, on the calling thread.
 *
 * @param most the most threads to use, from 1 to 255; a small sort uses fewer. Default: as many as the
 *   browser has cores, and at most 16.
 * @throws InputError if the number of threads is wrong.
 */
export function cpuEngineInPage(most?: number): CpuEngine {
  const threads = webThreads(most);
  return new CpuEngine(threads > 1 ? new ThreadPool(webCrew(), threads) : new CallingThread());
}
