import { type CheckedPart, KernelCheck } from "../core/cpu/check.js";
import { checkKernels } from "../core/cpu/check_kernels.js";
import { checksum } from "../core/items/checksum.js";
import type { Item } from "../core/items/item.js";
import { type ItemOrder, itemOrder } from "../core/items/order.js";
import { scanNeighbours } from "../core/items/scan.js";
import type { KernelThreads } from "../threads/kernel_threads.js";
import type { Window } from "./windows.js";

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

/** How items are checked. */
export interface CheckOptions {
  readonly descending: boolean;
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
  readonly first: Window;
  readonly #order: ItemOrder;
  readonly #sumsUp: boolean;
  readonly #options: CheckOptions;
  #kernels: KernelCheck | undefined;
  #windows: readonly Window[] | undefined;

  /** @param sumsUp whether to compute checksums. */
  constructor(item: Item, sumsUp: boolean, options: CheckOptions) {
    this.#order = itemOrder(item, options.descending);
    this.#sumsUp = sumsUp;
    this.#options = options;
    this.first = new Uint8Array(Math.max(1, Math.floor(this.#sizes.firstBytes / item.bytes)) * item.bytes);
  }

  get #sizes(): CheckSizes {
    return this.#options.sizes ?? defaultSizes;
  }

  /** The windows after the first; only the first if an item is too long for kernels, or if they get no memory. */
  get windows(): readonly Window[] {
    this.#windows ??= this.#openKernels()?.windows ?? [this.first];
    return this.#windows;
  }

  #openKernels(): KernelCheck | undefined {
    const { item } = this.#order;
    const { descending, threads } = this.#options;
    const { windows, windowBytes } = this.#sizes;
    const most = Math.ceil(threads.count / 2); // the other half of the cores reads
    const share = Math.min(Math.max(most, 4), 16) / 4;
    const items = Math.floor((windowBytes * share) / item.bytes);
    if (items === 0) return undefined;
    const runner = threads.runner(checkKernels, { threads: most, startBytes: START_BYTES });
    try {
      const memory = { windows, windowBytes: items * item.bytes };
      this.#kernels = new KernelCheck(runner, { item, descending, sumsUp: this.#sumsUp, ...memory });
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
  async check(items: Window, expected: number): Promise<readonly CheckedPart[]> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    if (items.buffer !== this.first.buffer) return this.#kernels!.check(items, expected, signal);
    const sums = this.#sumsUp ? checksum(items, this.#order.item) : ([0, 0] as const);
    return [{ items, ...scanNeighbours(items, this.#order), checksum: sums }];
  }

  close(): void {
    this.#kernels?.close();
  }
}
