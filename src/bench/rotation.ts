import type { KeyArray } from "../core/elements.js";

/**
 * The order of the keys in each run of a sort on the CPU. Keys in random order are rotated by 0.618 of their
 * number (the golden ratio) from run to run: a CPU that sorts a few thousand keys in the same order again and
 * again learns to predict the branches, and takes a tenth of the time. Keys that are mostly in order are not
 * rotated, because every run must have the order that the distribution promises.
 */
export class Rotation {
  readonly #keyCount: number;
  readonly #step: number;
  #start = 0;

  constructor(keys: KeyArray) {
    this.#keyCount = keys.length;
    this.#step = mostlyInOrder(keys) ? 0 : Math.ceil(keys.length * 0.618);
  }

  /** Goes on to the next run. */
  next(): void {
    this.#start = (this.#start + this.#step) % this.#keyCount;
  }

  /** Copies the keys, or a fixed number of words per key, in the order of this run. */
  copy(items: KeyArray, into: KeyArray): void {
    const start = this.#start * (items.length / this.#keyCount);
    into.set(items.subarray(start) as never);
    into.set(items.subarray(0, start) as never, items.length - start);
  }
}

/** Whether over 90% of the first thousand pairs of neighbours are ascending, or over 90% are descending. */
function mostlyInOrder(keys: KeyArray): boolean {
  const last = Math.min(keys.length - 1, 1000);
  let [up, down] = [0, 0];
  for (let i = 0; i < last; i++) {
    if (keys[i]! <= keys[i + 1]!) up++;
    if (keys[i]! >= keys[i + 1]!) down++;
  }
  return Math.max(up, down) > 0.9 * last;
}
