import { type KernelName, sortKernels } from "../core/cpu/kernels.js";
import type { KernelCall, KernelProgram } from "../core/cpu/program.js";
import { CallingThread, type KernelRunner } from "../core/cpu/runner.js";
import { BATCH_CALLS, MOST_THREADS } from "./control.js";
import { crew } from "./crew.js";

/** When threads pay. The defaults were measured; tests lower them. */
export interface ThreadThresholds {
  /** Bytes of elements for each thread. */
  readonly threadBytes: number;
  /** Bytes of elements from which it pays to start threads for one sort. */
  readonly startBytes: number;
}

/** On 16 cores, 2^18 keys of 4 bytes take 1.5 ms with 16 threads and 3.3 ms with one. */
const thresholds: ThreadThresholds = { threadBytes: 2 ** 16, startBytes: 2 ** 23 };

/** The number of no memory, for a pool that was closed. */
const NO_MEMORY = -1;

/**
 * Runs kernels on threads of this process, over a shared memory. The calling thread only waits, so it can
 * handle signals and progress. What needs one thread runs on the calling thread. Threads take 15 ms and more
 * to start, so they start for a large sort, or for a second one.
 */
export class ThreadPool<Name extends string = KernelName> implements KernelRunner<Name> {
  readonly threads: number;
  readonly #thresholds: ThreadThresholds;
  readonly #program: KernelProgram;
  readonly #caller: CallingThread<Name>;
  #sorts = 0;
  /** The number of the memory. */
  #memory: number | undefined;

  /**
   * @param threads the most threads to use, at least 1.
   * @param program the kernels, by default those of the sort.
   */
  constructor(threads: number, given: Partial<ThreadThresholds> = {}, program: KernelProgram = sortKernels) {
    this.threads = Math.min(threads, MOST_THREADS);
    this.#thresholds = { ...thresholds, ...given };
    this.#program = program;
    this.#caller = new CallingThread(true, program);
  }

  threadsFor(bytes: number, expected?: number): number {
    const { threadBytes, startBytes } = this.#thresholds;
    const wanted = Math.min(this.threads, Math.floor(bytes / threadBytes));
    if (expected === undefined) this.#sorts++;
    if (wanted <= 1) return 1;
    const waits = bytes >= startBytes;
    if (waits || this.#sorts > 1 || (expected ?? 0) >= startBytes) crew.start(wanted);
    return waits || crew.running >= wanted ? wanted : 1;
  }

  makeMemory(bytes: number): WebAssembly.Memory {
    const memory = this.#caller.makeMemory(bytes);
    crew.join(this);
    this.#forget();
    this.#memory = crew.addMemory(memory, this.#program);
    return memory;
  }

  async run(
    kernel: Name,
    calls: readonly KernelCall[],
    threads: number,
    signal?: AbortSignal | undefined,
  ): Promise<void> {
    if (threads === 1 || calls.length <= 1) return this.#caller.run(kernel, calls, 1, signal);
    const batch = {
      memory: this.#memory ?? NO_MEMORY,
      kernel: this.#program.names.indexOf(kernel),
      threads: Math.min(threads, this.threads),
    };
    for (let from = 0; from < calls.length; from += BATCH_CALLS) {
      await crew.run({ ...batch, calls: calls.slice(from, from + BATCH_CALLS) }, signal);
    }
  }

  #forget(): void {
    if (this.#memory !== undefined) crew.removeMemory(this.#memory);
    this.#memory = undefined;
  }

  close(): void {
    this.#forget();
    crew.leave(this);
    this.#caller.close();
  }
}
