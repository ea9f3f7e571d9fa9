import type { ElementType } from "../../elements.js";
import type { KernelCall, KernelName } from "../kernels.js";
import { tablesAt } from "../memory.js";
import type { KernelRunner } from "../runner.js";
import { aligned, JOB_BYTES } from "../workspace.js";
import { ORDER_AT, orderWords, piecesOf } from "./work.js";

/** A thread that gets fewer bytes takes longer to wake than to compare them. */
const LEAST_PIECE_BYTES = 1 << 17;

const COUNT_BYTES = 4;

/** Finds keys that go before a bound, on the threads of a CPU. NaNs are ordered by their bits. */
export class KeyFilter {
  /** Where the keys are to be. They are overwritten. */
  readonly windows: readonly Uint8Array<ArrayBuffer>[];
  readonly #runner: KernelRunner;
  readonly #memory: WebAssembly.Memory;
  readonly #keyBytes: number;
  readonly #threads: number;
  readonly #job: number;
  readonly #counts: number;

  /**
   * @param runner runs the kernels. The caller closes it, after the last call.
   * @param windows how many windows.
   * @param windowBytes bytes per window, a multiple of a key's.
   * @param expectedBytes about how many bytes of keys there will be.
   */
  constructor(
    runner: KernelRunner,
    { type, descending }: { readonly type: ElementType; readonly descending: boolean },
    windows: number,
    windowBytes: number,
    expectedBytes: number,
  ) {
    this.#runner = runner;
    this.#keyBytes = type.bytes;
    const most = Math.max(1, Math.floor(windowBytes / LEAST_PIECE_BYTES));
    this.#threads = Math.min(most, runner.threadsFor(windowBytes, expectedBytes));
    this.#job = aligned(tablesAt(runner.threads));
    this.#counts = this.#job + 2 * JOB_BYTES; // behind the bound
    const first = aligned(this.#counts + COUNT_BYTES * this.#threads);
    this.#memory = runner.makeMemory(first + windows * aligned(windowBytes));
    const { buffer } = this.#memory;
    new Uint32Array(buffer, this.#job + ORDER_AT).set(orderWords({ type, descending }));
    this.windows = Array.from({ length: windows }, (_, i) => {
      return new Uint8Array(buffer as ArrayBuffer, first + i * aligned(windowBytes), windowBytes);
    });
  }

  /**
   * Moves the keys that go before the bound within a window.
   *
   * @param keys a part of a window.
   * @param bound a key.
   * @returns these keys, in parts of the window.
   */
  async keepBefore(keys: Uint8Array<ArrayBuffer>, bound: Uint8Array): Promise<Uint8Array<ArrayBuffer>[]> {
    const size = this.#keyBytes;
    const { buffer } = this.#memory;
    const boundAt = this.#job + JOB_BYTES;
    new Uint8Array(buffer, boundAt, size).set(bound);
    const count = keys.length / size;
    const threads = Math.max(1, Math.min(this.#threads, Math.floor(keys.length / LEAST_PIECE_BYTES)));
    const pieces = piecesOf(count, threads);
    const calls = pieces.map((piece, i): KernelCall => {
      const at = keys.byteOffset + piece.from * size;
      return [at, piece.count, boundAt, this.#counts + COUNT_BYTES * i, this.#job];
    });
    await this.#runner.run(`keep_before_${size}` as KernelName, calls, threads);
    const counts = new Uint32Array(buffer, this.#counts, threads);
    return pieces
      .map(({ from }, i) => keys.subarray(from * size, (from + counts[i]!) * size))
      .filter(({ length }) => length > 0);
  }
}
