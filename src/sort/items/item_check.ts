import {
  type CheckedPart,
  type CheckJob,
  checkJob,
  checkKernels,
  KernelCheck,
} from "../../core/cpu/check.js";
import type { KernelProgram } from "../../core/cpu/program.js";
import { checksum } from "../../core/items/checksum.js";
import type { Item } from "../../core/items/item.js";
import { type ItemOrder, itemOrder } from "../../core/items/order.js";
import { scanNeighbours } from "../../core/items/summary.js";
import type { KernelThreads } from "../../threads/kernel_threads.js";
import type { ItemWindow } from "../runs/windows.js";

/** What items are checked for, and by which kernels. */
export interface CheckMethod<Name extends string = string> {
  readonly order: ItemOrder;
  readonly program: KernelProgram<Name>;
  readonly job: CheckJob<Name>;
  /** Sums up items in JavaScript, as the kernel does. Absent if nothing is summed up. */
  readonly sum?: ((items: Uint8Array) => readonly [number, number]) | undefined;
}

/** Checks the order of any items. @param sumsUp whether to compute checksums. */
export function checkOf(item: Item, descending: boolean, sumsUp: boolean): CheckMethod {
  return {
    order: itemOrder(item, descending),
    program: checkKernels,
    job: checkJob(item, descending),
    sum: sumsUp ? (items) => checksum(items, item) : undefined,
  };
}

/** Bytes that are read and checked at a time. Tests lower them. */
export interface CheckSizes {
  /** The most bytes of the first window, unless an item is longer. */
  readonly firstBytes: number;
  /** The most bytes of each other window with up to four threads. More threads get longer windows. */
  readonly windowBytes: number;
  /** The number of other windows. */
  readonly windows: number;
}

const defaultSizes: CheckSizes = { firstBytes: 2 ** 20, windowBytes: 2 ** 22, windows: 3 };

/** To check fewer bytes takes less time than to start another thread. */
const START_BYTES = 2 ** 27;

/** What checks items. */
export interface CheckOptions {
  /** They check the items, and stay open. */
  readonly threads: KernelThreads;
  /** Aborts the check: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly sizes?: CheckSizes | undefined;
}

/**
 * Checks items that are read into its windows: by JavaScript in the first one, which ends sooner than the
 * kernels are compiled, and by kernels in the others.
 */
export class ItemCheck {
  readonly first: ItemWindow;
  readonly #method: CheckMethod;
  readonly #options: CheckOptions;
  #kernels: KernelCheck | undefined;
  #windows: readonly ItemWindow[] | undefined;

  constructor(method: CheckMethod, options: CheckOptions) {
    this.#method = method;
    this.#options = options;
    const { bytes } = method.order.item;
    this.first = new Uint8Array(Math.max(1, Math.floor(this.#sizes.firstBytes / bytes)) * bytes);
  }

  get #sizes(): CheckSizes {
    return this.#options.sizes ?? defaultSizes;
  }

  /**
   * The windows after the first; only the first if an item is too long for kernels, or if they get no memory.
   */
  get windows(): readonly ItemWindow[] {
    this.#windows ??= this.#openKernels()?.windows ?? [this.first];
    return this.#windows;
  }

  #openKernels(): KernelCheck | undefined {
    const { order, program, job, sum } = this.#method;
    const itemBytes = order.item.bytes;
    const { threads } = this.#options;
    const { windows, windowBytes } = this.#sizes;
    const most = Math.ceil(threads.count / 2); // the other half of the cores reads
    const share = Math.min(Math.max(most, 4), 16) / 4;
    const items = Math.floor((windowBytes * share) / itemBytes);
    if (items === 0) return undefined;
    const runner = threads.runner(program, { threads: most, startBytes: START_BYTES });
    try {
      const memory = { windows, windowBytes: items * itemBytes };
      this.#kernels = new KernelCheck(runner, { job, itemBytes, sumsUp: sum !== undefined, ...memory });
      return this.#kernels;
    } catch (error) {
      runner.close();
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /**
   * Checks items in a window.
   *
   * @param expected the bytes of all items that are checked one window after the other.
   * @returns what was found in adjacent parts of the items. Neighbours in two parts are not compared.
   * @throws the signal's reason if it aborts.
   */
  async check(items: ItemWindow, expected: number): Promise<readonly CheckedPart[]> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    if (items.buffer !== this.first.buffer) return this.#kernels!.check(items, expected, signal);
    const { order, sum } = this.#method;
    return [{ items, ...scanNeighbours(items, order), checksum: sum?.(items) ?? [0, 0] }];
  }

  close(): void {
    this.#kernels?.close();
  }
}
