import { BATCH_CALLS } from "./control.js";
import type { Crew } from "./crew.js";
import { type KernelName, sortKernels } from "./kernels.js";
import { addMemoryPressure, growMemory, newSharedMemory } from "./memory.js";
import type { KernelCall, KernelProgram } from "./program.js";
import { CallingThread, type KernelRunner, type RunOptions, type SharedCopies } from "./runner.js";
import { Copy } from "./shared_copies.js";
import { piecesOf } from "./sort/work.js";

/** When threads pay. The defaults were measured; tests lower them. */
export interface ThreadThresholds {
  /** Bytes of elements for each thread. */
  readonly threadBytes: number;
  /** Bytes of elements, times the threads up to `MOST_COUNTED`, from which more than one thread pays. */
  readonly sharedBytes: number;
  /** The same where threads have to be started first. */
  readonly freshBytes: number;
  /** Bytes of elements for each thread that has to be started first. */
  readonly startBytes: number;
}

/**
 * On 16 cores, 1 MiB of u32 keys takes 1.4 ms with 16 threads, 1.6 with 8 and 3.3 with one. On 2 quiet ones, 1
 * and 2 MiB take 8 to 16% longer with two threads, and 4 MiB 13 to 23% less, of keys of 4 and of 8 bytes. Two
 * cores could sort some 20 MiB in the time in which threads start: with two threads, whole processes take 1.01
 * to 1.10 of the time of one for 64 MiB, and 1.4 to 1.5 of its CPU time; 0.86 to 0.93 and 1.3 for 90 MiB; 0.82
 * to 0.88 and 1.2 for 128 MiB. On 16 cores, 16 MiB take as long with threads as with one, and 32 MiB 0.7 to 0.9
 * of the time.
 */
const thresholds: ThreadThresholds = {
  threadBytes: 2 ** 16,
  sharedBytes: 2 ** 23,
  freshBytes: 3 * 2 ** 26,
  startBytes: 2 ** 22,
};

/** More threads than these lower the bytes from which they pay no further. */
const MOST_COUNTED = 8;

/** A memory that is not larger is kept for less: all threads would have to drop it, and take another one. */
const SMALL_BYTES = 1 << 23;

/** The bytes of an array of the caller that a thread copies with a call. */
const CALL_BYTES = 1 << 20;

/** The number of no memory, for a pool that was closed. */
const NO_MEMORY = -1;

/**
 * Runs kernels on the threads of a crew, over a shared memory. The calling thread hardly works, so it can
 * handle signals and progress; it runs what needs only one thread, and everything if no thread starts.
 * Threads take 15 ms and more to start, so they start for a large sort, or for a second one.
 */
export class ThreadPool<Name extends string = KernelName> implements KernelRunner<Name> {
  readonly threads: number;
  readonly #crew: Crew;
  readonly #thresholds: ThreadThresholds;
  readonly #program: KernelProgram;
  readonly #caller: CallingThread<Name>;
  #sorts = 0;
  #shared: WebAssembly.Memory | undefined;
  /** The number of the memory. */
  #memory: number | undefined;

  /**
   * @param threads the most threads to use, at least 1.
   * @param program the kernels, by default those of the sort.
   */
  constructor(
    crew: Crew,
    threads: number,
    changes: Partial<ThreadThresholds> = {},
    program: KernelProgram = sortKernels,
  ) {
    this.#crew = crew;
    this.threads = threads;
    this.#thresholds = { ...thresholds, ...changes };
    this.#program = program;
    this.#caller = new CallingThread(true, program, crew.compile);
  }

  threadsFor(bytes: number, expected?: number): number {
    const { threadBytes, sharedBytes, freshBytes, startBytes } = this.#thresholds;
    const crew = this.#crew;
    if (expected === undefined) this.#sorts++;
    const most = Math.min(this.threads, crew.most);
    const all = expected ?? bytes;
    const counted = Math.min(most, MOST_COUNTED);
    const paying = bytes * counted < sharedBytes ? 1 : Math.min(most, Math.floor(bytes / threadBytes));
    const worthStarting = all * counted < freshBytes ? 1 : Math.min(paying, Math.floor(all / startBytes));
    if (worthStarting > 1) crew.start(worthStarting);
    if (this.#sorts > 1 && paying > 1) crew.start(paying); // the next one will find them running
    return Math.max(1, worthStarting, Math.min(paying, crew.running));
  }

  /** A shared memory is kept if it can be: V8 hardly ever frees one, because it does not count as garbage. */
  makeMemory(bytes: number): WebAssembly.Memory {
    const kept = this.#shared;
    if (kept && kept.buffer.byteLength <= Math.max(bytes, SMALL_BYTES) && growMemory(kept, bytes)) {
      this.#caller.adopt(kept);
      return kept;
    }
    this.dropMemory();
    this.#shared = newSharedMemory(bytes);
    this.#crew.join(this);
    this.#memory = this.#crew.addMemory(this.#shared, this.#program);
    this.#caller.adopt(this.#shared);
    return this.#shared;
  }

  async run(
    kernel: Name,
    calls: readonly KernelCall[],
    threads: number,
    options: RunOptions = {},
  ): Promise<void> {
    const { signal, isShort = false, ended } = options;
    const onCaller = threads === 1 || calls.length <= 1 || (isShort && this.#crew.running === 0);
    if (onCaller) return this.#caller.run(kernel, calls, 1, options);
    const batch = {
      memory: this.#memory ?? NO_MEMORY,
      kernel: this.#program.names.indexOf(kernel),
      threads: Math.min(threads, this.threads),
    };
    for (let from = 0; from < calls.length; from += BATCH_CALLS) {
      const some = calls.slice(from, from + BATCH_CALLS);
      const endedOfAll = ended && ((count: number) => ended(from + count));
      const ran = await this.#crew.run({ ...batch, calls: some, ended: endedOfAll }, signal);
      if (!ran) await this.#caller.run(kernel, some, 1, { signal, ended: endedOfAll });
    }
  }

  runSync(kernel: Name, calls: readonly KernelCall[]): void {
    this.#caller.runSync(kernel, calls);
  }

  isDueToYield(): boolean {
    return this.#caller.isDueToYield();
  }

  share(array: Uint8Array, threads: number): SharedCopies | undefined {
    const memory = this.#shared;
    if (threads === 1 || !memory) return undefined;
    const crew = this.#crew;
    const number = crew.add(() => ({ memory, buffer: array.buffer as unknown as SharedArrayBuffer }));
    const copy = (kernel: number, at: number, offset: number, bytes: number, signal?: AbortSignal) => {
      const calls = piecesOf(bytes, Math.ceil(bytes / CALL_BYTES)).map(({ from, count }): KernelCall => {
        const first = array.byteOffset + offset + from;
        return [at + from, first % 2 ** 32, Math.floor(first / 2 ** 32), count];
      });
      return crew.run({ memory: number, kernel, calls, threads }, signal);
    };
    return {
      copyIn: (at, offset, bytes, signal) => copy(Copy.in, at, offset, bytes, signal),
      copyOut: (at, offset, bytes) => copy(Copy.out, at, offset, bytes),
      close: () => crew.remove(number),
    };
  }

  dropMemory(): void {
    if (this.#memory !== undefined) this.#crew.remove(this.#memory);
    if (this.#shared) addMemoryPressure(this.#shared);
    this.#memory = undefined;
    this.#shared = undefined;
    this.#caller.dropMemory();
  }

  close(): void {
    this.dropMemory();
    this.#crew.leave(this);
  }
}
