import { setTimeout } from "node:timers"; // Deno's own returns a number
import { Worker } from "node:worker_threads";
import { GpusortError } from "../core/errors.js";
import type { TaskMessage } from "./task_server.js";

/** One thread unpacks so many bytes in about the time in which another starts. */
const START_BYTES = 2 ** 23;

/** A task of so few bytes takes less time than to send it to a thread. */
const SMALL_BYTES = 2 ** 16;

/** A thread that has not started after so long never will, in milliseconds. Then others do its tasks. */
const START_MS = 15_000;

/** What the threads are, and what they may take. */
export interface TaskThreadsOptions<Task> {
  /** The code of a thread: it calls `serveTasks`. */
  readonly url: URL;
  /** The most threads; with 1, the calling thread does all tasks. */
  readonly threads: number;
  /** Bytes of memory that all threads may take. */
  readonly memoryBytes: number;
  /** Does a task on the calling thread. */
  readonly run: (task: Task) => Promise<Uint8Array>;
  /** Bytes of work for each thread that is started. Tests lower it. */
  readonly startBytes?: number;
}

/** A task that waits for a thread, or is done by one. */
interface Waiting<Task> {
  readonly task: Task;
  readonly bytes: number;
  readonly given: readonly ArrayBuffer[];
  readonly resolve: (result: Uint8Array | Promise<Uint8Array>) => void;
  readonly reject: (reason: unknown) => void;
}

interface Thread<Task> {
  readonly worker: Worker;
  isReady: boolean;
  /** What it is doing. */
  doing: Waiting<Task> | undefined;
  /** The most memory of its tasks: that of WebAssembly never shrinks. */
  bytes: number;
}

/**
 * Threads that do tasks which need nothing but what is sent to them. They start once enough work is expected.
 * The calling thread does what is small, what takes more memory than threads may have, and all tasks where no
 * thread starts.
 */
export class TaskThreads<Task> {
  readonly #options: TaskThreadsOptions<Task>;
  readonly #threads = new Set<Thread<Task>>();
  /** The ends of threads that were lost. */
  readonly #ends: Promise<unknown>[] = [];
  #queue: Waiting<Task>[] = [];
  #expected = 0;
  #mayStart: boolean;

  constructor(options: TaskThreadsOptions<Task>) {
    this.#options = options;
    this.#mayStart = options.threads > 1;
  }

  /** The threads that were started and have not ended. */
  get running(): number {
    return this.#threads.size;
  }

  /** Lets threads start, as work is about to come. @param bytes of data. */
  expect(bytes: number): void {
    this.#expected += bytes;
    const { threads, startBytes = START_BYTES } = this.#options;
    const wanted = Math.min(threads, Math.floor(this.#expected / startBytes));
    if (wanted < 2) return; // one alone would do what the calling thread does meanwhile
    while (this.#mayStart && this.#threads.size < wanted) this.#start();
  }

  /** How many tasks may be under way at a time, at least 1. @param bytes as for `run`. */
  mostAtOnce(bytes: number): number {
    const fitting = Math.floor(this.#options.memoryBytes / Math.max(1, bytes));
    return Math.max(1, Math.min(fitting, this.#threads.size + 1));
  }

  /**
   * Does a task.
   *
   * @param bytes of memory that it takes while it is done.
   * @param given buffers of the task, which are taken away from the caller if a thread does it.
   * @throws what the task throws, on a thread an Error with its message; GpusortError if the thread ended.
   */
  run(task: Task, bytes: number, given: readonly ArrayBuffer[]): Promise<Uint8Array> {
    if (this.#threads.size === 0 || bytes <= SMALL_BYTES) return this.#options.run(task);
    return new Promise((resolve, reject) => {
      this.#queue.push({ task, bytes, given, resolve, reject });
      this.#dispatch();
    });
  }

  /** Ends the threads. Tasks that are not done are rejected. */
  async close(): Promise<void> {
    this.#mayStart = false;
    const closed = new GpusortError("the sort has ended");
    const threads = [...this.#threads];
    this.#threads.clear();
    for (const { reject } of this.#queue.splice(0)) reject(closed);
    for (const { worker, doing } of threads) {
      worker.removeAllListeners();
      worker.on("error", () => {}); // of no interest any more
      doing?.reject(closed);
    }
    await Promise.all([...threads.map(({ worker }) => worker.terminate()), ...this.#ends]);
  }

  #start(): void {
    let worker: Worker;
    try {
      // Without the flags of this process, which may load whatever its main program needs.
      worker = new Worker(this.#options.url, { execArgv: [] });
    } catch {
      this.#mayStart = false; // a runtime without threads
      return;
    }
    const thread: Thread<Task> = { worker, isReady: false, doing: undefined, bytes: 0 };
    this.#threads.add(thread);
    worker.on("message", (message: TaskMessage) => this.#hear(thread, message));
    worker.on("error", (cause) => this.#lose(thread, cause));
    worker.on("messageerror", (cause) => this.#lose(thread, cause));
    worker.on("exit", () => this.#lose(thread, new Error("it ended")));
    const late = setTimeout(() => this.#lose(thread, new Error("it did not start")), START_MS).unref();
    worker.once("message", () => clearTimeout(late));
  }

  #hear(thread: Thread<Task>, message: TaskMessage): void {
    const { doing } = thread;
    thread.isReady = true;
    thread.doing = undefined;
    if (message.kind === "done") doing?.resolve(message.result);
    if (message.kind === "failed") doing?.reject(new Error(message.reason));
    this.#dispatch();
  }

  /** The others go on, or the calling thread if there is none. */
  #lose(thread: Thread<Task>, cause: Error): void {
    if (!this.#threads.delete(thread)) return;
    this.#mayStart = false;
    thread.doing?.reject(
      new GpusortError(`a thread that reads and writes tables ended: ${cause.message}`, {
        hint: "sort with one thread, which needs no others",
        options: ["threads"],
        cause,
      }),
    );
    this.#ends.push(thread.worker.terminate());
    this.#dispatch();
  }

  /** Gives tasks to threads that are idle, in the order of the tasks. */
  #dispatch(): void {
    for (let [next] = this.#queue; next; [next] = this.#queue) {
      const thread = this.#threadFor(next.bytes);
      if (thread && (!thread.isReady || thread.doing)) return;
      this.#queue.shift();
      if (!thread) {
        next.resolve(this.#options.run(next.task));
        continue;
      }
      thread.doing = next;
      thread.bytes = Math.max(thread.bytes, next.bytes);
      try {
        thread.worker.postMessage(next.task, [...next.given]);
      } catch (error) {
        thread.doing = undefined;
        next.reject(error);
      }
    }
  }

  /**
   * The thread that does a task: of those whose memory may grow to so much an idle one, and among these the one
   * that has the most memory.
   *
   * @returns undefined if the memory of none may grow so far.
   */
  #threadFor(bytes: number): Thread<Task> | undefined {
    const threads = [...this.#threads];
    const taken = threads.reduce((sum, thread) => sum + thread.bytes, 0);
    const isIdle = ({ isReady, doing }: Thread<Task>) => Number(isReady && !doing);
    const [best] = threads
      .filter((thread) => taken + Math.max(0, bytes - thread.bytes) <= this.#options.memoryBytes)
      .sort((a, b) => isIdle(b) - isIdle(a) || b.bytes - a.bytes);
    return best;
  }
}
