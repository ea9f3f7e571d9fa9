import { activeThreads, callAt, endCall, Word } from "./control.js";
import { tablesAt } from "./memory.js";
import { instantiate, type Kernel } from "./program.js";
import { type CopyWork, sharedCopies } from "./shared_copies.js";

/** What a thread is started with. */
export interface ThreadStart {
  /** The thread's place among all threads. */
  readonly thread: number;
  readonly control: Int32Array;
}

/** A memory that a thread works in from now on. */
export interface MemoryMessage {
  readonly number: number;
  /** Undefined if it is not used any more. */
  readonly work?: KernelWork | CopyWork;
}

/** Kernels that a thread runs in a memory. */
interface KernelWork {
  readonly memory: WebAssembly.Memory;
  readonly module: WebAssembly.Module;
  /** The kernels of the module. */
  readonly names: readonly string[];
}

/** What a thread of a crew does, wherever it runs. */
export class CrewThread {
  readonly #thread: number;
  readonly #control: Int32Array;
  /** The kernels of each memory, by its number. */
  readonly #kernels = new Map<number, Kernel[]>();

  constructor({ thread, control }: ThreadStart) {
    this.#thread = thread;
    this.#control = control;
  }

  adopt({ number, work }: MemoryMessage): void {
    if (!work) {
      this.#kernels.delete(number);
      return;
    }
    if ("buffer" in work) {
      this.#kernels.set(number, sharedCopies(work));
      return;
    }
    // V8 does not tell a thread that a memory grows at the moment when the thread receives it.
    work.memory.grow(0);
    const kernels = instantiate(work.module, work.memory);
    this.#kernels.set(
      number,
      work.names.map((name) => kernels[name]!),
    );
  }

  /**
   * Takes calls of a batch until none is left, if the thread takes part in it.
   *
   * @param batch the word that announces the batch.
   * @returns whether the batch has ended with this thread.
   */
  takePart(batch: number): boolean {
    const control = this.#control;
    const active = activeThreads(batch);
    if (this.#thread >= active) return false;
    const kernel = this.#kernels.get(control[Word.memory]!)![control[Word.kernel]!]!;
    const count = control[Word.count]!;
    for (;;) {
      const place = Atomics.add(control, Word.next, 1);
      if (place >= count) break;
      kernel(...callAt(control, place), tablesAt(this.#thread));
      endCall(control, place);
    }
    return Atomics.add(control, Word.finished, 1) + 1 === active;
  }
}
