import { Worker } from "node:worker_threads";
import type { KernelCall, KernelProgram } from "../core/cpu/program.js";
import { DeviceError, InputError } from "../core/errors.js";
import { serialQueue } from "../core/streams/serial_queue.js";
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

/** Threads that are ended may still touch the memory that they had. */
const newControl = () => new Int32Array(new SharedArrayBuffer(CONTROL_BYTES));

/**
 * The threads of this process. All pools share them: their batches take turns, so no more threads run than the
 * pool with the most threads has. They do not keep the process alive.
 */
class Crew {
  readonly #inTurn = serialQueue("continue");
  readonly #members = new Set<object>();
  /** The memories of all pools, for threads that start later. */
  readonly #memories = new Map<number, MemoryMessage>();
  #numbers = 0;
  #control = newControl();
  #workers: Worker[] = [];
  #running = 0;
  #batches = 0;
  #current: { readonly batch: Batch; resolve(): void; reject(error: unknown): void } | undefined;

  /** The threads that have started. */
  get running(): number {
    return this.#running;
  }

  /** Keeps the threads, once they have started, until this member leaves. */
  join(member: object): void {
    this.#members.add(member);
  }

  /** The threads end with the last member. */
  leave(member: object): void {
    if (this.#members.delete(member) && this.#members.size === 0) this.#fail(closed());
  }

  /** Lets threads run a program's kernels in a memory. @returns the memory's number. */
  addMemory(memory: WebAssembly.Memory, program: KernelProgram): number {
    const number = this.#numbers++;
    const work = { memory, module: program.module(true), names: program.names };
    this.#memories.set(number, { number, work });
    for (const worker of this.#workers) worker.postMessage({ number, work } satisfies MemoryMessage);
    return number;
  }

  /** Ends what runs in a memory, which fails with an InputError. */
  removeMemory(number: number): void {
    if (!this.#memories.delete(number)) return;
    if (this.#current?.batch.memory === number) this.#fail(closed());
    for (const worker of this.#workers) worker.postMessage({ number } satisfies MemoryMessage);
  }

  /** Starts threads until there are as many. They take about 15 ms until they run. */
  start(threads: number): void {
    while (this.#workers.length < threads) {
      const data: WorkerData = { thread: this.#workers.length, control: this.#control };
      // Without the flags of this process, which may load whatever its main program needs.
      const worker = new Worker(workerUrl, { workerData: data, execArgv: [] });
      worker.on("online", () => this.#running++);
      worker.on("message", () => this.#current?.resolve());
      worker.on("error", (cause) => this.#fail(failed(cause)));
      worker.on("exit", () => this.#fail(failed(new Error("it ended"))));
      for (const message of this.#memories.values()) worker.postMessage(message);
      worker.unref();
      this.#workers.push(worker);
    }
  }

  /** Runs a batch after those before it. @throws DeviceError if a thread ends; InputError after `removeMemory`. */
  run(batch: Batch, signal: AbortSignal | undefined): Promise<void> {
    return this.#inTurn(async () => {
      signal?.throwIfAborted();
      if (!this.#memories.has(batch.memory)) throw closed();
      const stop = () => {
        Atomics.store(this.#control, Word.next, BATCH_CALLS);
        if (this.#running < this.#workers.length) this.#fail(signal?.reason); // threads that have not started
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
    const active = Math.min(batch.threads, calls.length);
    this.start(active);
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
    this.#batches = (this.#batches + 1) % 2 ** 22;
    Atomics.store(control, Word.batch, (this.#batches << 8) | active);
    Atomics.notify(control, Word.batch);
    for (const worker of this.#workers) worker.ref();
    try {
      await done;
    } finally {
      this.#current = undefined;
      for (const worker of this.#workers) worker.unref();
    }
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
    this.#running = 0;
    this.#control = newControl();
  }
}

/** The threads of this process. */
export const crew = new Crew();

/** The error for a batch whose engine was closed before its end. */
const closed = () => new InputError("the engine was closed", { hint: "open a new one" });

function failed(cause: unknown): DeviceError {
  const message = `a thread of the CPU's sort failed: ${(cause as Error).message}`;
  return new DeviceError(message, { hint: "run again", cause });
}
