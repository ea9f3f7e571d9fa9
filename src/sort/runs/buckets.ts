import type { ItemOrder } from "../../core/items/order.js";
import { RankCuts, type Run } from "./rank_cuts.js";

/**
 * Cuts sorted runs into buckets of `bucketItems` items; the last bucket may have fewer. Each bucket holds the
 * items of one range of ranks of the stable merge, so the buckets follow each other in sorted order. A bucket
 * consists of one slice of each run. To sort a bucket, put its slices together in the order of the runs and
 * sort them stably.
 */
export class Buckets {
  readonly count: number;
  readonly #cuts: RankCuts;
  readonly #bucketItems: number;

  constructor(runs: readonly Run[], stride: number, bucketItems: number, order: ItemOrder) {
    this.#cuts = new RankCuts(runs, stride, order);
    this.#bucketItems = bucketItems;
    this.count = Math.ceil(this.#cuts.itemCount / bucketItems);
  }

  /** The place at which bucket `index` starts in each run. The bucket after the last starts at their ends. */
  start(index: number): Promise<number[]> {
    return this.#cuts.at(index * this.#bucketItems);
  }
}
