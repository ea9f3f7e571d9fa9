import type { Item, RecordItem } from "../items/item.js";
import { binary, kernelNames, memoryFlagsAt } from "./check_kernels.generated.js";
import { type CheckFindings, checkFindingsAt, FINDINGS_BYTES } from "./findings.js";
import { tablesAt } from "./memory.js";
import { KernelProgram } from "./program.js";
import type { KernelRunner } from "./runner.js";
import { orderNumbers, piecesOf, writeJob } from "./sort/work.js";
import { aligned, elementForm, JOB_BYTES } from "./workspace.js";

/** The kernels of assembly/check/: for keys, by their bytes, and for records. */
export type CheckKernel = (typeof kernelNames)[number];

export const checkKernels = new KernelProgram(kernelNames, binary, memoryFlagsAt);

/** A kernel, and what all its calls have in common. */
export interface CheckJob<Name extends string = CheckKernel> {
  readonly kernel: Name;
  readonly bytes: number;
  write(memory: WebAssembly.Memory, at: number): void;
}

export function checkJob(item: Item, descending: boolean): CheckJob {
  if (item.kind === "record") {
    const words = recordWords(item, descending);
    const write = ({ buffer }: WebAssembly.Memory, at: number) => new Uint32Array(buffer, at).set(words);
    return { kernel: "check_records", bytes: 4 * words.length, write };
  }
  const { type, bytes } = item;
  const form = elementForm(type.bytes, false);
  const ordering = { bytes: form.bytes, bits: { begin: 0, end: 8 * bytes }, pairs: false };
  const write = (memory: WebAssembly.Memory, job: number) =>
    writeJob({ job: { type, descending }, form, ordering, memory, at: { job, elements: 0, keys: 0 } }, 0);
  return { kernel: `check_${type.bytes}`, bytes: JOB_BYTES, write };
}

/** The order of a field that is bytes: see assembly/check/fields.ts. */
const BYTES_ORDER = 3;

/** See assembly/check/records.ts. */
function recordWords({ bytes, keys, byteOrder }: RecordItem, descending: boolean): number[] {
  const isBig = Number(byteOrder === "big");
  const fields = keys.map((key) =>
    "type" in key
      ? [key.offset, key.type.bytes, orderNumbers[key.type.order], isBig]
      : [key.offset, key.bytes, BYTES_ORDER, 0],
  );
  return [bytes, Number(descending), keys.length, ...fields.flat()];
}

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
  readonly #findingsAt: number;
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
    this.#findingsAt = this.#jobAt + aligned(this.#job.bytes);
    const first = this.#findingsAt + aligned(runner.threads * FINDINGS_BYTES);
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
    new Uint8Array(this.#memory.buffer, this.#findingsAt, threads * FINDINGS_BYTES).fill(0);
    const rows = parts.map((_, i) => this.#findingsAt + i * FINDINGS_BYTES);
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
