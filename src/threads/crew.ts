import { Worker } from "node:worker_threads";
import type { KernelCall, KernelProgram } from "../core/cpu/program.js";
import { engineClosed } from "../core/cpu/runner.js";
import { DeviceError } from "../core/errors.js";
import { serialQueue } from "../core/streams/serial_queue.js";
import { compileOptimized } from "./compile.js";
import { BATCH_CALLS, CONTROL_BYTES, putCall, Word } from "./control.js";
import type { MemoryMessage, WorkerData } from "./worker.js";
import { workerUrl } from "./worker_url.js";

/** Calls of one kernel, which threads run at the same time. */
export interface Batch {
  /** The number of the memory that the kernel works in. */
  readonly memory: number;
  /** The kernel's place in its program. */
  readonly kernel: number;
  readonly calls: readonly KernelCall[];
  readonly threads: number;
}

/** A new one after each failure, as ended threads may still write to the old one. */
const newControl = () => new Int32Array(new SharedArrayBuffer(CONTROL_BYTES));

/**
 * The threads of this process. All pools share them: their batches take turns, so no more threads run than the
 * pool with the most threads has. They do not keep the process alive.
 */
class Crew {
  readonly #inTurn = serialQueue("continue");
  readonly #members = new Set<object>();
  /** The memories of all pools, for threads that start later. */
  readonly #memories = new Map<number, () => MemoryMessage>();
  #numbers = 0;
  #control = newControl();
  #workers: Worker[] = [];
  readonly #online = new Set<Worker>();
  #batches = 0;
  #current: { readonly batch: Batch; resolve(): void; reject(error: unknown): void } | undefined;

  /** How many threads have started. Only those count that all threads before them have started too. */
  get running(): number {
    const missing = this.#workers.findIndex((worker) => !this.#online.has(worker));
    return missing < 0 ? this.#workers.length : missing;
  }

  /** Keeps the threads, once they have started, until this member leaves. */
  join(member: object): void {
    this.#members.add(member);
  }

  /** The threads end with the last member. */
  leave(member: object): void {
    if (this.#members.delete(member) && this.#members.size === 0) this.#fail(engineClosed());
  }

  /** Lets threads run a program's kernels in a memory. @returns the memory's number. */
  addMemory(memory: WebAssembly.Memory, program: KernelProgram): number {
    const number = this.#numbers++;
    const message = (): MemoryMessage => {
      const module = program.module(true, compileOptimized);
      return { number, work: { memory, module, names: program.names } };
    };
    this.#memories.set(number, message); // it compiles the program, which is in vain unless a thread runs
    for (const worker of this.#workers) worker.postMessage(message());
    return number;
  }

  /** Ends what runs in a memory, which fails with an InputError. */
  removeMemory(number: number): void {
    if (!this.#memories.delete(number)) return;
    if (this.#current?.batch.memory === number) this.#fail(engineClosed());
    for (const worker of this.#workers) worker.postMessage({ number } satisfies MemoryMessage);
    if (!this.#current) this.#announce(0); // they read the message now, and free the memory
  }

  /** Starts threads until there are as many. They take about 15 ms until they run. */
  start(threads: number): void {
    const fresh: Worker[] = [];
    while (this.#workers.length < threads) {
      const data: WorkerData = { thread: this.#workers.length, control: this.#control };
      const worker = newWorker(data);
      if (!worker) break;
      worker.on("online", () => this.#online.add(worker));
      worker.on("message", () => this.#current?.resolve());
      worker.on("error", (cause) => this.#fail(failed(cause)));
      worker.on("exit", () => this.#fail(failed(new Error("it ended"))));
      worker.unref();
      this.#workers.push(worker);
      fresh.push(worker);
    }
    // The kernels are compiled now, while the threads start.
    for (const worker of fresh) for (const message of this.#memories.values()) worker.postMessage(message());
  }

  /** Runs a batch after those before it. @throws DeviceError if a thread ends; InputError after `removeMemory`. */
  run(batch: Batch, signal: AbortSignal | undefined): Promise<void> {
    return this.#inTurn(async () => {
      signal?.throwIfAborted();
      if (!this.#memories.has(batch.memory)) throw engineClosed();
      const stop = () => {
        Atomics.store(this.#control, Word.next, BATCH_CALLS);
        if (this.running === 0) this.#fail(signal?.reason); // it waits for the first thread
      };
      signal?.addEventListener("abort", stop);
      try {
        await this.#run(batch);
      } finally {
        signal?.removeEventListener("abort", stop);
      }
      signal?.throwIfAborted();
    });
  }

  async #run(batch: Batch): Promise<void> {
    const { calls } = batch;
    this.start(Math.min(batch.threads, calls.length));
    // Threads that are still starting may take calls of the next batch.
    const active = Math.min(batch.threads, calls.length, Math.max(1, this.running));
    const control = this.#control;
    calls.forEach((call, place) => {
      putCall(control, place, call);
    });
    control[Word.next] = 0;
    control[Word.count] = calls.length;
    control[Word.finished] = 0;
    control[Word.kernel] = batch.kernel;
    control[Word.memory] = batch.memory;
    const done = new Promise<void>((resolve, reject) => {
      this.#current = { batch, resolve, reject };
    });
    this.#announce(active);
    for (const worker of this.#workers) worker.ref();
    try {
      await done;
    } finally {
      this.#current = undefined;
      for (const worker of this.#workers) worker.unref();
    }
  }

  /** Wakes all threads for a new batch, in which so many take part. */
  #announce(active: number): void {
    this.#batches = (this.#batches + 1) % 2 ** 22;
    Atomics.store(this.#control, Word.batch, (this.#batches << 8) | active);
    Atomics.notify(this.#control, Word.batch);
  }

  /** Fails the batch that is running. The next one starts new threads. */
  #fail(reason: unknown): void {
    this.#current?.reject(reason);
    for (const worker of this.#workers) {
      worker.removeAllListeners();
      worker.on("error", () => {}); // of no interest any more
      void worker.terminate();
    }
    this.#workers = [];
    this.#online.clear();
    this.#control = newControl();
  }
}

/** The threads of this process. */
export const crew = new Crew();

/** @returns undefined if the system starts no more threads. Those that run then do the work. */
function newWorker(workerData: WorkerData): Worker | undefined {
  try {
    // Without the flags of this process, which may load whatever its main program needs.
    return new Worker(workerUrl, { workerData, execArgv: [] });
  } catch {
    return undefined;
  }
}

function failed(cause: unknown): DeviceError {
  const message = `a thread of the CPU's sort failed: ${(cause as Error).message}`;
  return new DeviceError(message, { hint: "run again", cause });
}
