import { InputError } from "../errors.js";
import { type KernelName, sortKernels } from "./kernels.js";
import { type Compile, instantiate, type KernelCall, type KernelProgram, type Kernels } from "./program.js";

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
  /**
   * Makes the memory that the kernels work in, of at least so many bytes. It has any contents: it may be the
   * memory that was made before, which is no longer used otherwise.
   */
  makeMemory(bytes: number): WebAssembly.Memory;
  /** Makes the next memory another one, as something may still write to this one. */
  dropMemory(): void;
  /**
   * Runs a kernel once for each call. The calls may run at the same time, so none may need another's result.
   *
   * @param threads the most threads to use.
   * @param signal ends the run after the calls that have begun.
   * @param isShort whether each call takes so little time that the calling thread may make it, rather than wait
   *   for threads that are still starting.
   * @throws DeviceError if a thread ends; the signal's reason if it aborts.
   */
  run(
    kernel: Name,
    calls: readonly KernelCall[],
    threads: number,
    signal?: AbortSignal | undefined,
    isShort?: boolean,
  ): Promise<void>;
  close(): void;
}

const PAGE_BYTES = 65536;

/** The most memory that WebAssembly has with addresses of 32 bits. */
export const MAX_MEMORY_BYTES = 65536 * PAGE_BYTES;

/** Bytes of a thread's tables of 8 KiB: 3 for digits from the bottom, at most 9 for digits from the top. */
const TABLES_BYTES = 16 * 8192;

/** The address of the first thread's tables. No kernel uses the bytes below it. */
const TABLES_AT = 1024;

/** The address of a thread's tables. */
export const tablesAt = (thread: number): number => TABLES_AT + thread * TABLES_BYTES;

/**
 * @param most the most bytes to which it may grow.
 * @throws RangeError if there is not as much memory.
 */
export function newMemory(bytes: number, shared: boolean, most = bytes): WebAssembly.Memory {
  const [initial, maximum] = [bytes, most].map((size) => Math.ceil(size / PAGE_BYTES));
  return new WebAssembly.Memory({ initial: initial!, maximum: maximum!, shared });
}

/** Lets a memory grow to so many bytes. @throws RangeError if there is not as much memory. */
export function growMemory(memory: WebAssembly.Memory, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
}

/** The work in so much memory takes longer than to compile the kernels with care. */
const LARGE_BYTES = 8 << 20;

/** After this time the calling thread lets other work be done, in milliseconds. */
const SLICE_MS = 20;

/** Runs kernels on the calling thread. Between two calls it lets other work be done. */
export class CallingThread<Name extends string = KernelName> implements KernelRunner<Name> {
  readonly threads = 1;
  readonly #shared: boolean;
  readonly #program: KernelProgram;
  readonly #compile: Compile | undefined;
  #kernels: Kernels<Name> | undefined;
  #resumed = 0;

  /**
   * @param shared whether other threads work in the same memory.
   * @param program the kernels, by default those of the sort.
   * @param compile compiles them for a large memory.
   */
  constructor(shared = false, program: KernelProgram = sortKernels, compile?: Compile) {
    this.#shared = shared;
    this.#program = program;
    this.#compile = compile;
  }

  threadsFor(): number {
    return 1;
  }

  makeMemory(bytes: number): WebAssembly.Memory {
    this.dropMemory(); // so that it can be freed first
    const memory = newMemory(bytes, this.#shared);
    this.adopt(memory);
    return memory;
  }

  /** Works in a given memory from now on. */
  adopt(memory: WebAssembly.Memory): void {
    const compile = memory.buffer.byteLength >= LARGE_BYTES ? this.#compile : undefined;
    this.#kernels = instantiate(this.#program.module(this.#shared, compile), memory);
  }

  dropMemory(): void {
    this.#kernels = undefined;
  }

  async run(
    kernel: Name,
    calls: readonly KernelCall[],
    _threads?: number,
    signal?: AbortSignal | undefined,
  ): Promise<void> {
    for (const call of calls) {
      if (performance.now() - this.#resumed > SLICE_MS) {
        await nextTask();
        this.#resumed = performance.now();
      }
      signal?.throwIfAborted();
      if (!this.#kernels) throw engineClosed();
      this.#kernels[kernel](...call, tablesAt(0));
    }
  }

  close(): void {
    this.dropMemory();
  }
}

/** The error of a sort that has not ended when its engine is closed. */
export const engineClosed = () => new InputError("the engine was closed", { hint: "open a new one" });

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
