import { Worker } from "node:worker_threads";
import { type KernelCall, type KernelName, sortKernels } from "../core/cpu/kernels.js";
import { CallingThread, type KernelRunner } from "../core/cpu/runner.js";
import { DeviceError, InputError } from "../core/errors.js";
import { BATCH_CALLS, CONTROL_BYTES, MOST_THREADS, putCall, Word } from "./control.js";
import type { WorkerData } from "./worker.js";
import { workerUrl } from "./worker_url.js";

/** When threads pay. The defaults were measured; tests lower them. */
export interface ThreadThresholds {
  /** Bytes of elements for each thread. */
  readonly threadBytes: number;
  /** Bytes of elements from which it pays to start threads for one sort. */
  readonly startBytes: number;
}

/** On 16 cores, 2^18 keys of 4 bytes take 1.5 ms with 16 threads and 3.3 ms with one. */
const thresholds: ThreadThresholds = { threadBytes: 2 ** 16, startBytes: 2 ** 23 };

/**
 * Runs kernels on threads of their own, over a shared memory. The calling thread only waits, so it can handle
 * signals and progress. What needs one thread runs on the calling thread. Threads take 15 ms and more to
 * start, so they start for a large sort, or for a second one. They do not keep the process alive.
 */
export class ThreadPool implements KernelRunner {
  readonly threads: number;
  readonly #thresholds: ThreadThresholds;
  readonly #caller = new CallingThread(true);
  #control = newControl();
  #workers: Worker[] = [];
  #running = 0;
  #sorts = 0;
  #batch = 0;
  #memory: WebAssembly.Memory | undefined;
  #settle: { resolve(): void; reject(error: unknown): void } | undefined;

  /** @param threads the most threads to use, at least 1. */
  constructor(threads: number, given: Partial<ThreadThresholds> = {}) {
    this.threads = Math.min(threads, MOST_THREADS);
    this.#thresholds = { ...thresholds, ...given };
  }

  threadsFor(bytes: number): number {
    const { threadBytes, startBytes } = this.#thresholds;
    const wanted = Math.min(this.threads, Math.floor(bytes / threadBytes));
    this.#sorts++;
    if (wanted <= 1) return 1;
    if (bytes >= startBytes || this.#sorts > 1) this.#start(wanted);
    return bytes >= startBytes || this.#running >= wanted ? wanted : 1;
  }

  makeMemory(bytes: number): WebAssembly.Memory {
    this.#memory = this.#caller.makeMemory(bytes);
    for (const worker of this.#workers) worker.postMessage(this.#memory);
    return this.#memory;
  }

  async run(
    kernel: KernelName,
    calls: readonly KernelCall[],
    threads: number,
    signal?: AbortSignal | undefined,
  ): Promise<void> {
    if (threads === 1 || calls.length <= 1) return this.#caller.run(kernel, calls, 1, signal);
    const stop = () => {
      Atomics.store(this.#control, Word.next, BATCH_CALLS);
      if (this.#running < this.#workers.length) this.#fail(signal?.reason); // threads that have not started
    };
    signal?.addEventListener("abort", stop);
    try {
      for (let from = 0; from < calls.length; from += BATCH_CALLS) {
        signal?.throwIfAborted();
        await this.#runBatch(kernel, calls.slice(from, from + BATCH_CALLS), threads);
      }
      signal?.throwIfAborted();
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Starts threads until there are as many. They take about 15 ms until they run. */
  #start(threads: number): void {
    while (this.#workers.length < threads) {
      const data: WorkerData = {
        thread: this.#workers.length,
        control: this.#control,
        module: sortKernels.module(true),
      };
      // Without the flags of this process, which may load whatever its main program needs.
      const worker = new Worker(workerUrl, { workerData: data, execArgv: [] });
      worker.on("online", () => this.#running++);
      worker.on("message", () => this.#settle?.resolve());
      worker.on("error", (cause) => this.#fail(failed(cause)));
      worker.on("exit", () => this.#fail(failed(new Error("it ended"))));
      if (this.#memory) worker.postMessage(this.#memory);
      worker.unref();
      this.#workers.push(worker);
    }
  }

  async #runBatch(kernel: KernelName, calls: readonly KernelCall[], threads: number): Promise<void> {
    this.#start(Math.min(threads, this.threads));
    const control = this.#control;
    calls.forEach((call, place) => {
      putCall(control, place, call);
    });
    control[Word.next] = 0;
    control[Word.count] = calls.length;
    control[Word.finished] = 0;
    control[Word.kernel] = sortKernels.names.indexOf(kernel);
    const done = new Promise<void>((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    const active = Math.min(threads, this.threads, calls.length);
    this.#batch = (this.#batch + 1) % 2 ** 22;
    Atomics.store(control, Word.batch, (this.#batch << 8) | active);
    Atomics.notify(control, Word.batch);
    for (const worker of this.#workers) worker.ref();
    try {
      await done;
    } finally {
      this.#settle = undefined;
      for (const worker of this.#workers) worker.unref();
    }
  }

  /** Fails the sort that is running. The next one starts new threads. */
  #fail(reason: unknown): void {
    this.#settle?.reject(reason);
    this.#endThreads();
  }

  #endThreads(): void {
    for (const worker of this.#workers) {
      worker.removeAllListeners();
      worker.on("error", () => {}); // of no interest any more
      void worker.terminate();
    }
    this.#workers = [];
    this.#running = 0;
    this.#control = newControl();
  }

  close(): void {
    this.#fail(new InputError("the engine was closed", { hint: "open a new one" }));
    this.#caller.close();
  }
}

function failed(cause: unknown): DeviceError {
  const message = `a thread of the CPU's sort failed: ${(cause as Error).message}`;
  return new DeviceError(message, { hint: "run again", cause });
}

/** Threads that are ended may still touch the memory that they had. */
const newControl = () => new Int32Array(new SharedArrayBuffer(CONTROL_BYTES));
