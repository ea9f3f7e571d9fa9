import type { KernelProgram } from "../core/cpu/program.js";
import { CallingThread, type KernelRunner } from "../core/cpu/runner.js";
import { ThreadPool, type ThreadThresholds } from "../core/cpu/thread_pool.js";
import { usableThreads } from "./count.js";
import { crew } from "./crew.js";

/** Bytes on which one thread works for about 15 ms, the time in which another starts. */
const START_BYTES = 2 ** 24;

/** Bytes of text that take longer than to wake another thread. */
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

/** What a caller wants of a runner. */
export interface RunnerWishes {
  /** The most threads. Default: all. */
  readonly threads?: number;
  /** Bytes for each thread that has to be started first. Default: those of text. */
  readonly startBytes?: number;
}

/**
 * Lends runners of kernels that use the threads of this process, and closes them all. A runner that was
 * closed is lent again, so a thousand inputs take no more memory than those that are open at the same time.
 */
export class KernelThreads {
  readonly #pools: LentPool<string>[] = [];
  readonly #idle = new Map<KernelProgram, LentPool<string>[]>();
  /** The most threads. */
  readonly count: number;
  readonly #thresholds: Partial<ThreadThresholds>;

  /**
   * @param threads the most threads to use. Default: as many as the process may use at a time.
   * @param thresholds those of all programs. Tests lower them.
   */
  constructor(threads?: number, thresholds: Partial<ThreadThresholds> = {}) {
    this.count = usableThreads(threads);
    this.#thresholds = thresholds;
    crew.join(this);
  }

  /** Lends a runner until it is closed. */
  runner<Name extends string>(
    program: KernelProgram<Name>,
    { threads = this.count, startBytes = START_BYTES }: RunnerWishes = {},
  ): KernelRunner<Name> {
    if (threads === 1) return new CallingThread<Name>(false, program);
    const idle = this.#idle.get(program) ?? [];
    this.#idle.set(program, idle);
    const fitting = idle.findIndex((pool) => pool.threads === threads);
    const [pool = this.#newPool(program, threads, startBytes)] = fitting < 0 ? [] : idle.splice(fitting, 1);
    pool.giveBack = () => {
      pool.giveBack = () => {};
      idle.push(pool);
    };
    return pool as LentPool<Name>;
  }

  #newPool(program: KernelProgram, threads: number, startBytes: number): LentPool<string> {
    const thresholds = { sharedBytes: SHARED_BYTES, freshBytes: 0, startBytes, ...this.#thresholds };
    const pool = new LentPool<string>(crew, threads, thresholds, program);
    this.#pools.push(pool);
    return pool;
  }

  close(): void {
    for (const pool of this.#pools.splice(0)) pool.end();
    this.#idle.clear();
    crew.leave(this);
  }
}
