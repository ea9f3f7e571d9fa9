import type { CheckJob } from "./check_job.js";
import { type CheckFindings, checkFindingsAt, FINDINGS_BYTES } from "./findings.js";
import { tablesAt } from "./memory.js";
import type { KernelRunner } from "./runner.js";
import { piecesOf } from "./sort/work.js";
import { ALIGNMENT } from "./workspace.js";

/** Adjacent items, and the findings in them. */
export interface CheckedPart extends CheckFindings {
  readonly items: Uint8Array;
}

export interface KernelCheckOptions<Name extends string> {
  readonly job: CheckJob<Name>;
  readonly itemBytes: number;
  /** Whether to compute checksums. */
  readonly sumsUp: boolean;
  /** The number of windows. */
  readonly windows: number;
  /** Bytes of each. */
  readonly windowBytes: number;
}

/** Checks items by kernels, in windows of their memory. Other windows may be filled meanwhile. */
export class KernelCheck<Name extends string = string> {
  readonly #runner: KernelRunner<Name>;
  readonly #itemBytes: number;
  readonly #sumsUp: boolean;
  readonly #memory: WebAssembly.Memory;
  readonly #job: CheckJob<Name>;
  readonly #jobAt: number;
  readonly #foundAt: number;
  readonly windows: readonly Uint8Array<ArrayBuffer>[];

  /**
   * @param runner runs the kernels. `close` closes it.
   * @throws RangeError if there is not as much memory.
   */
  constructor(
    runner: KernelRunner<Name>,
    { job, itemBytes, sumsUp, windows, windowBytes }: KernelCheckOptions<Name>,
  ) {
    this.#runner = runner;
    this.#itemBytes = itemBytes;
    this.#sumsUp = sumsUp;
    this.#job = job;
    this.#jobAt = tablesAt(runner.threads);
    this.#foundAt = this.#jobAt + aligned(this.#job.bytes);
    const first = this.#foundAt + aligned(runner.threads * FINDINGS_BYTES);
    const stride = aligned(windowBytes);
    this.#memory = runner.makeMemory(first + windows * stride);
    this.#job.write(this.#memory, this.#jobAt);
    const buffer = this.#memory.buffer as ArrayBuffer;
    this.windows = Array.from(
      { length: windows },
      (_, i) => new Uint8Array(buffer, first + i * stride, windowBytes),
    );
  }

  /**
   * Checks the items in a window, some with each thread.
   *
   * @param expected the bytes of all items that are checked one window after the other.
   * @returns the findings in adjacent parts of the items. Neighbours in two parts are not compared.
   */
  async check(items: Uint8Array, expected: number, signal?: AbortSignal): Promise<CheckedPart[]> {
    const threads = this.#runner.threadsFor(items.length, expected);
    const parts = piecesOf(items.length / this.#itemBytes, threads).filter(({ count }) => count > 0);
    new Uint8Array(this.#memory.buffer, this.#foundAt, threads * FINDINGS_BYTES).fill(0);
    const rows = parts.map((_, i) => this.#foundAt + i * FINDINGS_BYTES);
    const calls = parts.map(({ from, count }, i) => {
      const at = items.byteOffset + from * this.#itemBytes;
      return [at, count, Number(this.#sumsUp), rows[i]!, this.#jobAt];
    });
    await this.#runner.run(this.#job.kernel, calls, threads, { signal, isShort: true });
    return parts.map(({ from, count }, i) => ({
      items: items.subarray(from * this.#itemBytes, (from + count) * this.#itemBytes),
      ...checkFindingsAt(this.#memory, rows[i]!),
    }));
  }

  close(): void {
    this.#runner.close();
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
