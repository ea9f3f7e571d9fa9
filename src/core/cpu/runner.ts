import { type KernelName, sortKernels } from "./kernels.js";
import { instantiate, type KernelCall, type KernelProgram, type Kernels } from "./program.js";

/** Runs the kernels of a program on the threads of a CPU. */
export interface KernelRunner<Name extends string = KernelName> {
  /** The most threads that it uses. */
  readonly threads: number;
  /**
   * How many threads a run over so many bytes of elements should use now.
   *
   * @param expected the bytes of all such runs that follow each other at once. Without it, each is a sort.
   */
  threadsFor(bytes: number, expected?: number): number;
  /** Makes the memory that the kernels work in. The memory that was made before is no longer used. */
  makeMemory(bytes: number): WebAssembly.Memory;
  /**
   * Runs a kernel once for each call. The calls may run at the same time, so none may need another's result.
   *
   * @param threads the most threads to use.
   * @param signal ends the run after the calls that have begun.
   * @throws DeviceError if a thread ends; the signal's reason if it aborts.
   */
  run(
    kernel: Name,
    calls: readonly KernelCall[],
    threads: number,
    signal?: AbortSignal | undefined,
  ): Promise<void>;
  close(): void;
}

const PAGE_BYTES = 65536;

/** The most memory that WebAssembly has with addresses of 32 bits. */
export const MAX_MEMORY_BYTES = 65536 * PAGE_BYTES;

/** Bytes of a thread's tables: of 8 KiB for each level of the sort, and one more for a rounded address. */
const TABLES_BYTES = 16 * 8192;

/** The address of the first thread's tables. No kernel uses the bytes below it. */
const TABLES_AT = 1024;

/** The address of a thread's tables. */
export const tablesAt = (thread: number): number => TABLES_AT + thread * TABLES_BYTES;

/** @throws RangeError if there is not as much memory. */
function newMemory(bytes: number, shared: boolean): WebAssembly.Memory {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared });
}

/** After this time the calling thread lets other work be done, in milliseconds. */
const SLICE_MS = 20;

/** Runs kernels on the calling thread. Between two calls it lets other work be done. */
export class CallingThread<Name extends string = KernelName> implements KernelRunner<Name> {
  readonly threads = 1;
  readonly #shared: boolean;
  readonly #program: KernelProgram;
  #kernels: Kernels<Name> | undefined;
  #resumed = 0;

  /**
   * @param shared whether other threads work in the same memory.
   * @param program the kernels, by default those of the sort.
   */
  constructor(shared = false, program: KernelProgram = sortKernels) {
    this.#shared = shared;
    this.#program = program;
  }

  threadsFor(): number {
    return 1;
  }

  makeMemory(bytes: number): WebAssembly.Memory {
    const memory = newMemory(bytes, this.#shared);
    this.#kernels = instantiate(this.#program.module(this.#shared), memory);
    return memory;
  }

  async run(
    kernel: Name,
    calls: readonly KernelCall[],
    _threads?: number,
    signal?: AbortSignal | undefined,
  ): Promise<void> {
    const run = this.#kernels![kernel];
    for (const call of calls) {
      if (performance.now() - this.#resumed > SLICE_MS) {
        await nextTask();
        this.#resumed = performance.now();
      }
      signal?.throwIfAborted();
      run(...call, tablesAt(0));
    }
  }

  close(): void {
    this.#kernels = undefined;
  }
}

/** Resolves after the events that are waiting, such as signals. A timer would take a millisecond or more. */
function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    Object.assign(port1, {
      onmessage: () => {
        port1.close();
        resolve();
      },
    });
    port2.postMessage(undefined);
  });
}
