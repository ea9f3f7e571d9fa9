import type { ItemOrder } from "../core/items/order.js";
import type { ItemSource } from "../core/streams/item_stream.js";
import { multiselect, type SortedItems } from "./multiselect.js";

/** A sorted sequence of items, usually on a disk. */
export interface Run {
  readonly source: ItemSource;
  readonly itemCount: number;
  /** Every `stride`-th item, beginning with the first. */
  readonly samples: Uint8Array;
}

/**
 * Finds where sorted runs must be cut so that a given number of items of their stable merge lie before the
 * cuts: exactly as many, for any keys, because equal keys are told apart by their run and place.
 *
 * A cut is found in two steps. The samples narrow it down to a few strides of each run. Only these strides
 * are read, and the exact cut is found among them.
 */
export class RankCuts {
  /** The number of items in all runs. */
  readonly itemCount: number;
  readonly #runs: readonly Run[];
  readonly #samples: readonly SortedItems[];
  readonly #stride: number;
  readonly #order: ItemOrder;

  constructor(runs: readonly Run[], stride: number, order: ItemOrder) {
    this.#runs = runs;
    this.#stride = stride;
    this.#order = order;
    this.#samples = runs.map(({ samples }) => ({
      view: order.view(samples),
      count: samples.length / order.item.bytes,
    }));
    this.itemCount = runs.reduce((sum, { itemCount }) => sum + itemCount, 0);
  }

  /** @returns for each run, the number of its items among the first `rank` items of all runs. */
  async at(rank: number): Promise<number[]> {
    if (rank <= 0) return this.#runs.map(() => 0);
    if (rank >= this.itemCount) return this.#runs.map(({ itemCount }) => itemCount);
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
   * The range of each run that must contain its cut.
   *
   * Sort the samples of all runs, and take the sample with exactly m samples before it. How many items go
   * before that sample? If c of the m samples are in a given run, then more than (c - 1) * stride and at most
   * c * stride items of that run do. Over all runs, these are at least (m - runs) * stride and at most m *
   * stride items. So the sample with m = floor(rank / stride) is not after the cut at `rank`, and the sample
   * with m = ceil(rank / stride) + runs is not before it.
   */
  #windows(rank: number): { low: number; high: number }[] {
    const samples = this.#samples.reduce((sum, { count }) => sum + count, 0);
    const lowRank = Math.floor(rank / this.#stride);
    const highRank = Math.ceil(rank / this.#stride) + this.#runs.length;
    const left = multiselect(this.#samples, Math.min(lowRank, samples), this.#order);
    const right = highRank >= samples ? undefined : multiselect(this.#samples, highRank, this.#order);
    return this.#runs.map(({ itemCount }, i) => ({
      low: left[i] === 0 ? 0 : (left[i]! - 1) * this.#stride + 1,
      high: right ? Math.min(itemCount, right[i]! * this.#stride) : itemCount,
    }));
  }
}

/** Copies every `stride`-th item, beginning with the first. */
export function sample(items: Uint8Array, itemBytes: number, stride: number): Uint8Array {
  const count = Math.ceil(items.length / itemBytes / stride);
  const samples = new Uint8Array(count * itemBytes);
  for (let i = 0; i < count; i++) {
    const at = i * stride * itemBytes;
    samples.set(items.subarray(at, at + itemBytes), i * itemBytes);
  }
  return samples;
}
