import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { sortKernels } from "../core/cpu/kernels.js";
import { instantiate, type Kernels } from "../core/cpu/program.js";
import { tablesAt } from "../core/cpu/runner.js";
import { callAt, MOST_THREADS, Word } from "./control.js";

/** What a thread of the pool is started with. */
export interface WorkerData {
  /** The thread's place in the pool. */
  readonly thread: number;
  readonly control: Int32Array;
  readonly module: WebAssembly.Module;
}

/** Runs batches of kernel calls until the pool ends the thread. */
function work({ thread, control, module }: WorkerData): never {
  const port = parentPort!;
  let kernels: Kernels | undefined;
  for (let seen = 0; ; ) {
    Atomics.wait(control, Word.batch, seen);
    seen = Atomics.load(control, Word.batch);
    const active = seen & MOST_THREADS;
    if (thread >= active) continue;
    // The event loop never runs here, so a new memory is fetched.
    for (let sent = receiveMessageOnPort(port); sent; sent = receiveMessageOnPort(port)) {
      kernels = instantiate(module, sent.message as WebAssembly.Memory);
    }
    const kernel = kernels![sortKernels.names[control[Word.kernel]!]!]!;
    const count = control[Word.count]!;
    for (;;) {
      const place = Atomics.add(control, Word.next, 1);
      if (place >= count) break;
      kernel(...callAt(control, place), tablesAt(thread));
    }
    if (Atomics.add(control, Word.finished, 1) + 1 === active) port.postMessage(seen);
  }
}

work(workerData as WorkerData);
