import type { ItemOrder } from "../keys/order.js";
import type { KeySource } from "./engine.js";
import { multiselect, type SortedItems } from "./multiselect.js";

/** Items in order, somewhere on a disk. */
export interface Run {
  readonly source: KeySource;
  readonly itemCount: number;
  /** Every `stride`-th item, from the first on. */
  readonly samples: Uint8Array;
}

/**
 * Cuts runs into buckets of `bucketItems` each, the last one less: every item of a bucket goes before every item of
 * the next. A bucket has a slice of every run, and its slices in the order of the runs, sorted stably, are the merge.
 *
 * The samples narrow a cut down to a few strides of each run, which are read; among them it is found exactly. So
 * buckets have the size that was asked for, whatever the keys are.
 */
export class Buckets {
  readonly count: number;
  readonly #runs: readonly Run[];
  readonly #samples: readonly SortedItems[];
  readonly #stride: number;
  readonly #bucketItems: number;
  readonly #order: ItemOrder;
  readonly #itemCount: number;

  constructor(runs: readonly Run[], stride: number, bucketItems: number, order: ItemOrder) {
    this.#runs = runs;
    this.#stride = stride;
    this.#bucketItems = bucketItems;
    this.#order = order;
    this.#samples = runs.map(({ samples }) => ({
      view: order.view(samples),
      count: samples.length / order.item.bytes,
    }));
    this.#itemCount = runs.reduce((sum, { itemCount }) => sum + itemCount, 0);
    this.count = Math.ceil(this.#itemCount / bucketItems);
  }

  /** Where bucket `index` begins in each run; the bucket past the last begins at their ends. */
  async start(index: number): Promise<number[]> {
    const rank = index * this.#bucketItems;
    if (rank === 0) return this.#runs.map(() => 0);
    if (rank >= this.#itemCount) return this.#runs.map(({ itemCount }) => itemCount);
    const windows = this.#windows(rank);
    const { bytes } = this.#order.item;
    const read = await Promise.all(
      windows.map(async ({ low, high }, i) => {
        const items = new Uint8Array((high - low) * bytes);
        await this.#runs[i]!.source.read(items, low * bytes);
        return { view: this.#order.view(items), count: high - low };
      }),
    );
    const skipped = windows.reduce((sum, { low }) => sum + low, 0);
    return multiselect(read, rank - skipped, this.#order).map((cut, i) => windows[i]!.low + cut);
  }

  /**
   * The parts of the runs that hold the cut. Let s be the m-th sample in order. In each run whose first c samples go
   * before s, more than (c - 1) strides of items do, and at most c strides: m strides at most over all runs, and at
   * least m less a stride a run.
   */
  #windows(rank: number): { low: number; high: number }[] {
    const samples = this.#samples.reduce((sum, { count }) => sum + count, 0);
    const least = Math.floor(rank / this.#stride);
    const most = Math.ceil(rank / this.#stride) + this.#runs.length;
    const left = multiselect(this.#samples, Math.min(least, samples), this.#order);
    const right = most >= samples ? undefined : multiselect(this.#samples, most, this.#order);
    return this.#runs.map(({ itemCount }, i) => ({
      low: left[i] === 0 ? 0 : (left[i]! - 1) * this.#stride + 1,
      high: right ? Math.min(itemCount, right[i]! * this.#stride) : itemCount,
    }));
  }
}

/** Every `stride`-th item. */
export function sample(items: Uint8Array, itemBytes: number, stride: number): Uint8Array {
  const count = Math.ceil(items.length / itemBytes / stride);
  const samples = new Uint8Array(count * itemBytes);
  for (let i = 0; i < count; i++) {
    const at = i * stride * itemBytes;
    samples.set(items.subarray(at, at + itemBytes), i * itemBytes);
  }
  return samples;
}
