import { availableParallelism } from "node:os";
import type { KernelProgram } from "../core/cpu/program.js";
import { CallingThread, type KernelRunner } from "../core/cpu/runner.js";
import { crew } from "./crew.js";
import { ThreadPool, type ThreadThresholds } from "./thread_pool.js";

/** One thread does the work on so many bytes in about 30 ms, twice the time in which others start. */
const START_BYTES = 2 ** 25;

/** Lends runners of kernels that use the threads of this process, and closes them all. */
export class KernelThreads {
  readonly #runners: KernelRunner<string>[] = [];
  readonly #threads: number;
  readonly #thresholds: Partial<ThreadThresholds>;

  /** @param threads the most threads to use. Default: as many as the process may use at a time. */
  constructor(threads = availableParallelism(), thresholds: Partial<ThreadThresholds> = {}) {
    this.#threads = threads;
    this.#thresholds = { startBytes: START_BYTES, ...thresholds };
    crew.join(this);
  }

  /** Makes a runner. It may be closed earlier than the others. */
  runner<Name extends string>(program: KernelProgram<Name>): KernelRunner<Name> {
    if (this.#threads === 1) return new CallingThread<Name>(false, program);
    const runner = new ThreadPool<Name>(this.#threads, this.#thresholds, program);
    this.#runners.push(runner as KernelRunner<string>);
    return runner;
  }

  close(): void {
    for (const runner of this.#runners.splice(0)) runner.close();
    crew.leave(this);
  }
}
