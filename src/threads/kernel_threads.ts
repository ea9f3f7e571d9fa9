import type { KernelProgram } from "../core/cpu/program.js";
import { CallingThread, type KernelRunner } from "../core/cpu/runner.js";
import { usableThreads } from "./count.js";
import { crew } from "./crew.js";
import { ThreadPool, type ThreadThresholds } from "./thread_pool.js";

/** One thread works on so many bytes for about 15 ms, the time in which another starts. */
const START_BYTES = 2 ** 24;

/** A piece of text of so many bytes takes longer than to wake another thread. */
const SHARED_BYTES = 2 ** 17;

/** A pool that is given back instead of closed, with its memory. */
class LentPool<Name extends string> extends ThreadPool<Name> {
  giveBack: () => void = () => {};

  override close(): void {
    this.giveBack();
  }

  end(): void {
    super.close();
  }
}

/**
 * Lends runners of kernels that use the threads of this process, and closes them all. A runner that was closed is
 * lent again, so a thousand inputs take no more memory than those that are open at the same time.
 */
export class KernelThreads {
  readonly #pools: LentPool<string>[] = [];
  readonly #idle = new Map<KernelProgram, LentPool<string>[]>();
  readonly #threads: number;
  readonly #thresholds: Partial<ThreadThresholds>;

  /** @param threads the most threads to use. Default: as many as the process may use at a time. */
  constructor(threads?: number, thresholds: Partial<ThreadThresholds> = {}) {
    this.#threads = usableThreads(threads);
    this.#thresholds = { sharedBytes: SHARED_BYTES, startBytes: START_BYTES, ...thresholds };
    crew.join(this);
  }

  /** Lends a runner until it is closed. */
  runner<Name extends string>(program: KernelProgram<Name>): KernelRunner<Name> {
    if (this.#threads === 1) return new CallingThread<Name>(false, program);
    const idle = this.#idle.get(program) ?? [];
    this.#idle.set(program, idle);
    const pool = idle.pop() ?? this.#newPool(program);
    pool.giveBack = () => {
      pool.giveBack = () => {};
      idle.push(pool);
    };
    return pool as LentPool<Name>;
  }

  #newPool(program: KernelProgram): LentPool<string> {
    const pool = new LentPool<string>(this.#threads, this.#thresholds, program);
    this.#pools.push(pool);
    return pool;
  }

  close(): void {
    for (const pool of this.#pools.splice(0)) pool.end();
    this.#idle.clear();
    crew.leave(this);
  }
}
