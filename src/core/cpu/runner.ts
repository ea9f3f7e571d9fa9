import { InputError } from "../errors.js";
import type { WebAssemblyMemory } from "../host_types.js";
import { yieldToEventLoop } from "../streams/yield_to_event_loop.js";
import { type KernelName, sortKernels } from "./kernels.js";
import { newMemory, tablesAt } from "./memory.js";
import { type Compile, instantiate, type KernelCall, type KernelProgram, type Kernels } from "./program.js";

/** Copies an array of the caller, in memory that threads share, by all threads. */
export interface SharedCopies {
  /**
   * Copies bytes of the array from `offset` on to an address of the memory.
   *
   * @returns whether it did. It did not if no thread starts.
   */
  copyIn(at: number, offset: number, bytes: number, signal?: AbortSignal): Promise<boolean>;
  /** Copies bytes from an address of the memory to the array, as `copyIn` does the other way. */
  copyOut(at: number, offset: number, bytes: number): Promise<boolean>;
  /** Lets the threads forget the array. */
  close(): void;
}

/** How the calls of a kernel are run. */
export interface RunOptions {
  /** Ends the run after the calls that have begun. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether each call takes so little time that the calling thread may make it, rather than wait for threads
   * that are still starting. The default is false.
   */
  readonly isShort?: boolean | undefined;
  /** Is called now and then with how many of the first calls have ended; perhaps never of the last ones. */
  readonly ended?: ((calls: number) => void) | undefined;
}

/** Runs the kernels of a program on the threads of a CPU. */
export interface KernelRunner<Name extends string = KernelName> {
  /** The most threads that it uses. */
  readonly threads: number;
  /**
   * How many threads a run over this number of bytes of elements should use now.
   *
   * @param expected the bytes of all such runs that follow each other immediately. Without it, each is a sort.
   */
  threadsFor(bytes: number, expected?: number): number;
  /**
   * Makes the memory that the kernels work in, of at least `bytes`. It has any contents: it may be the
   * memory that was made before, which is no longer used otherwise.
   *
   * @param most bytes to which it may grow (see `growMemory`). Default: it need not grow.
   */
  makeMemory(bytes: number, most?: number): WebAssemblyMemory;
  /** Makes the next memory another one, as something may still write to this one. */
  dropMemory(): void;
  /**
   * Runs a kernel once for each call. The calls may run at the same time, so none may need another's result.
   *
   * @param threads the most threads to use.
   * @throws DeviceError if a thread ends; the signal's reason if it aborts.
   */
  run(kernel: Name, calls: readonly KernelCall[], threads: number, options?: RunOptions): Promise<void>;
  /** Runs a kernel for each call on the calling thread, before it returns. */
  runSync(kernel: Name, calls: readonly KernelCall[]): void;
  /** Whether the calling thread has worked for so long that it should let other work be done first. */
  isDueToYield(): boolean;
  /**
   * Lets all threads copy an array, in memory that they can share, to the memory that the kernels work in, or
   * back.
   *
   * @returns undefined if only the calling thread can do that.
   */
  share?(array: Uint8Array, threads: number): SharedCopies | undefined;
  close(): void;
}

/** The work in so much memory takes longer than to optimize the kernels before they run. */
const LARGE_BYTES = 4 << 20;

/** After this time the calling thread lets other work be done, in milliseconds. */
const SLICE_MS = 20;

/** Runs kernels on the calling thread. Between two calls it lets other work be done. */
export class CallingThread<Name extends string = KernelName> implements KernelRunner<Name> {
  readonly threads = 1;
  readonly #shared: boolean;
  readonly #program: KernelProgram;
  readonly #compile: Compile | undefined;
  #kernels: Kernels<Name> | undefined;
  /** When this thread began to work, since it last let other work be done. */
  #began: number | undefined;

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

  makeMemory(bytes: number, most = bytes): WebAssemblyMemory {
    this.dropMemory(); // so that it can be freed first
    const memory = newMemory(bytes, this.#shared, most);
    this.adopt(memory);
    return memory;
  }

  /** Works in this memory from now on. */
  adopt(memory: WebAssemblyMemory): void {
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
    { signal, ended }: RunOptions = {},
  ): Promise<void> {
    for (const [i, call] of calls.entries()) {
      if (this.isDueToYield()) {
        await yieldToEventLoop();
        this.#began = undefined;
      }
      signal?.throwIfAborted();
      this.#call(kernel, call);
      ended?.(i + 1);
    }
  }

  runSync(kernel: Name, calls: readonly KernelCall[]): void {
    for (const call of calls) this.#call(kernel, call);
  }

  #call(kernel: Name, call: KernelCall): void {
    if (!this.#kernels) throw engineClosed();
    this.#kernels[kernel](...call, tablesAt(0));
  }

  isDueToYield(): boolean {
    const now = performance.now();
    if (this.#began === undefined) {
      this.#began = now;
      // Once it fires, other work has had its turn.
      setTimeout(() => {
        this.#began = undefined;
      });
    }
    return now - this.#began > SLICE_MS;
  }

  close(): void {
    this.dropMemory();
  }
}

/** The error of a sort that has not ended when its engine is closed. */
export const engineClosed = () => new InputError("the engine was closed", { hint: "open a new one" });
