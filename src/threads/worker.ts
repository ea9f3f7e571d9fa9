import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { instantiate, type Kernel } from "../core/cpu/program.js";
import { tablesAt } from "../core/cpu/runner.js";
import { callAt, MOST_THREADS, Word } from "./control.js";

/** What a thread is started with. */
export interface WorkerData {
  /** The thread's place among all threads. */
  readonly thread: number;
  readonly control: Int32Array;
}

/** A memory that a thread works in from now on. */
export interface MemoryMessage {
  readonly number: number;
  /** Undefined if it is not used any more. */
  readonly work?: {
    readonly memory: WebAssembly.Memory;
    readonly module: WebAssembly.Module;
    /** The kernels of the module. */
    readonly names: readonly string[];
  };
}

/** Runs batches of kernel calls until the thread is ended. */
function work({ thread, control }: WorkerData): never {
  const port = parentPort!;
  const kernelsOf = new Map<number, Kernel[]>();
  for (let seen = 0; ; ) {
    Atomics.wait(control, Word.batch, seen);
    seen = Atomics.load(control, Word.batch);
    // The event loop never runs here, so messages are fetched, also by threads that take no part: a message may
    // be all that keeps an old memory.
    for (let sent = receiveMessageOnPort(port); sent; sent = receiveMessageOnPort(port)) {
      const { number, work } = sent.message as MemoryMessage;
      if (!work) {
        kernelsOf.delete(number);
        continue;
      }
      const kernels = instantiate(work.module, work.memory);
      kernelsOf.set(
        number,
        work.names.map((name) => kernels[name]!),
      );
    }
    const active = seen & MOST_THREADS;
    if (thread >= active) continue;
    const kernel = kernelsOf.get(control[Word.memory]!)![control[Word.kernel]!]!;
    const count = control[Word.count]!;
    for (;;) {
      const place = Atomics.add(control, Word.next, 1);
      if (place >= count) break;
      kernel(...callAt(control, place), tablesAt(thread));
    }
    if (Atomics.add(control, Word.finished, 1) + 1 === active) port.postMessage(undefined);
  }
}

work(workerData as WorkerData);
