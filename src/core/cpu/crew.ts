import { DeviceError } from "../errors.js";
import { serialQueue } from "../streams/serial_queue.js";
import { BATCH_CALLS, batchWord, hasEnded, newControl, putCall, Word } from "./control.js";
import type { MemoryMessage, ThreadStart } from "./crew_thread.js";
import type { Compile, KernelCall, KernelProgram } from "./program.js";
import { engineClosed } from "./runner.js";

/** Calls of one kernel, which threads run at the same time. */
export interface Batch {
  /** The number of the memory that the kernel works in. */
  readonly memory: number;
  /** The kernel's place in its program. */
  readonly kernel: number;
  readonly calls: readonly KernelCall[];
  readonly threads: number;
  /** See `RunOptions`. */
  readonly ended?: ((calls: number) => void) | undefined;
}

/** A thread that was started. It runs a `CrewThread`. */
export interface StartedThread {
  /** Sends a message, which the thread reads before the next batch in which it takes part. */
  post(message: MemoryMessage): void;
  /** Tells the thread that a batch is announced. Absent where threads wait for the word of the batch. */
  wake?(batch: number): void;
  /** Absent where threads keep no process alive. */
  keepAlive?(isNeeded: boolean): void;
  /** Ends the thread. No event follows. */
  end(): void;
}

/** What becomes of a thread. No event comes before its start has returned. */
export interface ThreadEvents {
  /** It runs. */
  ready(): void;
  /** A batch has ended with it. */
  finished(): void;
  /** It did not start, or it has ended. */
  failed(cause: Error): void;
}

/** Where threads come from. */
export interface CrewHost {
  /** Starts a thread. @throws any error if the system starts no more. */
  start(start: ThreadStart, events: ThreadEvents): StartedThread;
  /** Compiles the kernels; see `KernelProgram.module`. */
  readonly compile?: Compile;
  /** Whether a thread may end without an event. */
  readonly endsSilently?: boolean;
}

/** In this time in milliseconds, a thread ends a call of any size. */
const LONGEST_CALL_MS = 15_000;

/** How often a batch is checked in that time: a machine that slept is not taken for a thread that ended. */
const CHECKS = 5;

/**
 * Threads that all pools share: their batches take turns, so no more threads run than the pool with the most
 * threads has.
 */
export class Crew {
  readonly #host: CrewHost;
  readonly #inTurn = serialQueue("continue");
  readonly #members = new Set<object>();
  /** The memories of all pools, for threads that start later. */
  readonly #memories = new Map<number, () => MemoryMessage>();
  #numbers = 0;
  #control = newControl();
  #threads: StartedThread[] = [];
  readonly #ready = new Set<StartedThread>();
  #most = Number.POSITIVE_INFINITY;
  #batches = 0;
  #current: { readonly batch: Batch; resolve(ran: boolean): void; reject(error: unknown): void } | undefined;

  constructor(host: CrewHost) {
    this.#host = host;
  }

  get compile(): Compile | undefined {
    return this.#host.compile;
  }

  /** The most threads that can be had: no limit until one does not start. */
  get most(): number {
    return this.#most;
  }

  /** How many threads run. Only those count before which all others run too. */
  get running(): number {
    const missing = this.#threads.findIndex((thread) => !this.#ready.has(thread));
    return missing < 0 ? this.#threads.length : missing;
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
    const { names } = program;
    return this.add(() => ({ memory, module: program.module(true, this.compile), names }));
  }

  /** Lets threads do the work. @returns the number of its memory. */
  add(work: () => NonNullable<MemoryMessage["work"]>): number {
    const number = this.#numbers++;
    const message = (): MemoryMessage => ({ number, work: work() });
    this.#memories.set(number, message); // it compiles the program, which is in vain unless a thread runs
    for (const thread of this.#threads) thread.post(message());
    return number;
  }

  /** Ends what runs in a memory, which fails with an InputError. */
  remove(number: number): void {
    if (!this.#memories.delete(number)) return;
    if (this.#current?.batch.memory === number) this.#fail(engineClosed());
    for (const thread of this.#threads) thread.post({ number });
    if (!this.#current) this.#announce(0); // they read the message now, and free the memory
  }

  /** Starts threads until there are as many. They take about 15 ms until they run. */
  start(threads: number): void {
    const fresh: StartedThread[] = [];
    while (this.#threads.length < Math.min(threads, this.#most)) {
      const thread = this.#startOne();
      if (!thread) break;
      this.#threads.push(thread);
      fresh.push(thread);
    }
    // The kernels are compiled now, while the threads start.
    for (const thread of fresh) for (const message of this.#memories.values()) thread.post(message());
  }

  #startOne(): StartedThread | undefined {
    const number = this.#threads.length;
    try {
      const thread = this.#host.start(
        { thread: number, control: this.#control },
        {
          ready: () => this.#ready.add(thread),
          finished: () => this.#current?.resolve(true),
          failed: (cause) => (this.#ready.has(thread) ? this.#fail(failed(cause)) : this.#limit(number)),
        },
      );
      return thread;
    } catch {
      this.#limit(number);
      return undefined;
    }
  }

  /** Uses no more threads than these, as the next one does not start. */
  #limit(threads: number): void {
    this.#most = threads;
    for (const thread of this.#threads.splice(threads)) {
      this.#ready.delete(thread);
      thread.end();
    }
    if (threads === 0) this.#current?.resolve(false);
  }

  /**
   * Runs a batch after those before it.
   *
   * @returns whether it ran. It did not if no thread starts.
   * @throws DeviceError if a thread ends; InputError after `remove`.
   */
  run(batch: Batch, signal: AbortSignal | undefined): Promise<boolean> {
    return this.#inTurn(async () => {
      signal?.throwIfAborted();
      if (!this.#memories.has(batch.memory)) throw engineClosed();
      const stop = () => {
        Atomics.store(this.#control, Word.next, BATCH_CALLS);
        if (this.running === 0) this.#fail(signal?.reason); // it waits for the first thread
      };
      signal?.addEventListener("abort", stop);
      let ran: boolean;
      try {
        ran = await this.#run(batch);
      } finally {
        signal?.removeEventListener("abort", stop);
      }
      signal?.throwIfAborted();
      return ran;
    });
  }

  async #run(batch: Batch): Promise<boolean> {
    const useful = Math.min(batch.threads, batch.calls.length);
    this.start(useful);
    // Threads that are still starting may take calls of the next batch.
    const active = Math.min(useful, Math.max(1, this.running), this.#threads.length);
    if (active === 0) return false;
    const control = this.#control;
    batch.calls.forEach((call, place) => {
      putCall(control, place, call);
    });
    control[Word.next] = 0;
    control[Word.count] = batch.calls.length;
    control[Word.finished] = 0;
    control[Word.kernel] = batch.kernel;
    control[Word.memory] = batch.memory;
    const done = new Promise<boolean>((resolve, reject) => {
      this.#current = { batch, resolve, reject };
    });
    this.#announce(active);
    for (const thread of this.#threads) thread.keepAlive?.(true);
    const watch = this.#host.endsSilently ? this.#watch() : undefined;
    const follow = batch.ended && this.#follow(batch.calls.length, batch.ended);
    try {
      return await done;
    } finally {
      clearInterval(watch);
      clearInterval(follow);
      this.#current = undefined;
      for (const thread of this.#threads) thread.keepAlive?.(false);
    }
  }

  /** Tells how many of the first calls have ended, every millisecond. */
  #follow(calls: number, ended: (calls: number) => void): ReturnType<typeof setInterval> {
    const control = this.#control;
    let [reported, count] = [0, 0];
    return setInterval(() => {
      while (count < calls && hasEnded(control, count)) count++;
      if (count > reported) ended(count);
      reported = count;
    }, 1);
  }

  /** Fails the batch if its threads neither take nor end a call for a long time. */
  #watch(): ReturnType<typeof setInterval> {
    let [seen, idleChecks] = [-1, 0];
    return setInterval(() => {
      const progress = Atomics.load(this.#control, Word.next) + Atomics.load(this.#control, Word.finished);
      idleChecks = progress === seen ? idleChecks + 1 : 0;
      seen = progress;
      if (idleChecks === CHECKS) this.#fail(failed(new Error("it does not answer any more")));
    }, LONGEST_CALL_MS / CHECKS);
  }

  /** Wakes all threads for a new batch, in which the first `active` ones take part. */
  #announce(active: number): void {
    this.#batches = (this.#batches + 1) % 2 ** 22;
    const batch = batchWord(this.#batches, active);
    Atomics.store(this.#control, Word.batch, batch);
    Atomics.notify(this.#control, Word.batch);
    for (const thread of this.#threads.slice(0, active)) thread.wake?.(batch);
  }

  /** Fails the batch that is running. The next one starts new threads. */
  #fail(reason: unknown): void {
    this.#current?.reject(reason);
    this.#limit(0);
    this.#most = Number.POSITIVE_INFINITY;
    this.#control = newControl(); // ended threads may still write to the old one
  }
}

function failed(cause: Error): DeviceError {
  const message = `a thread of the CPU's sort failed: ${cause.message}`;
  return new DeviceError(message, { hint: "run again", cause });
}
