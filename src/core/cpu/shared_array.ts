import type { Crew } from "./crew.js";
import type { KernelCall } from "./program.js";
import type { SharedCopies } from "./runner.js";
import { Copy } from "./shared_copies.js";
import { piecesOf } from "./sort/work.js";

/** The bytes that a thread copies with a call. */
const CALL_BYTES = 1 << 20;

/** An array of the caller in memory that threads share. All threads copy it. */
export class SharedArray implements SharedCopies {
  readonly #crew: Crew;
  readonly #threads: number;
  readonly #number: number;
  readonly #offset: number;

  /**
   * @param memory the memory that it is copied into, or out of.
   * @param threads the most threads to use.
   */
  constructor(crew: Crew, memory: WebAssembly.Memory, array: Uint8Array, threads: number) {
    this.#crew = crew;
    this.#threads = threads;
    this.#offset = array.byteOffset;
    this.#number = crew.add(() => ({ memory, buffer: array.buffer as unknown as SharedArrayBuffer }));
  }

  copyIn(at: number, offset: number, bytes: number, signal?: AbortSignal): Promise<boolean> {
    return this.#copy(Copy.in, at, offset, bytes, signal);
  }

  copyOut(at: number, offset: number, bytes: number): Promise<boolean> {
    return this.#copy(Copy.out, at, offset, bytes);
  }

  #copy(kernel: number, at: number, offset: number, bytes: number, signal?: AbortSignal): Promise<boolean> {
    const calls = piecesOf(bytes, Math.ceil(bytes / CALL_BYTES)).map(({ from, count }): KernelCall => {
      const first = this.#offset + offset + from;
      return [at + from, first % 2 ** 32, Math.floor(first / 2 ** 32), count];
    });
    return this.#crew.run({ memory: this.#number, kernel, calls, threads: this.#threads }, signal);
  }

  close(): void {
    this.#crew.remove(this.#number);
  }
}
