import { sortKernels } from "../core/cpu/kernels.js";
import { CallingThread } from "../core/cpu/runner.js";
import { ThreadPool } from "../core/cpu/thread_pool.js";
import { CpuEngine } from "../core/engines/cpu.js";
import { compileForLongRuns } from "./compile.js";
import { usableThreads } from "./count.js";
import { crew } from "./crew.js";
import { isOwnProcess } from "./own_process.js";

/**
 * Makes an engine that sorts on the threads of this machine's CPU.
 *
 * @param most the most threads to use, from 1 to 255; a small sort uses fewer. Default: as many as the
 *   process may use at a time.
 * @throws InputError if the number of threads is wrong.
 */
export function cpuEngine(most?: number): CpuEngine {
  const threads = usableThreads(most);
  // A memory that is not shared counts as garbage: V8 then collects all garbage, which takes 10 ms, to make
  // more than 64 MiB. But it frees such a memory, which a program that goes on needs.
  const isShared = threads > 1 || isOwnProcess();
  return new CpuEngine(
    isShared ? new ThreadPool(crew, threads) : new CallingThread(false, sortKernels, compileForLongRuns),
  );
}
