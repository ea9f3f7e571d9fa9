import type { KeyArray } from "../core/elements.js";
import type { ReferenceWork } from "./machine.js";
import type { Metric } from "./metric.js";
import type { Result } from "./tasks.js";

/** One of the sorts that a benchmark compares, for one task. */
export interface Contender {
  readonly name: string;
  /** The metrics that each of its runs times. The first one decides when the times are known well enough. */
  readonly metrics: readonly Metric[];
  /** The processor that it mainly uses. A GPU is warmed up before its turn. */
  readonly processor: "cpu" | "gpu";
  /** The reference work that resembles it most, so that a slower machine slows both down alike. */
  readonly reference: ReferenceWork;
  /** The value of the algorithm option that it sorts with; undefined if it does not depend on that option. */
  readonly algorithm: string | undefined;
  /**
   * Whether the first run of its turn is distorted by the contender before it. Its turns then have at least
   * two runs, and the first is not counted.
   */
  readonly dropsFirstRun?: boolean;
  /** Says why it cannot sort this many keys; undefined if it can. */
  refuses(keyCount: number): string | undefined;
  /** Prepares to sort these keys any number of times. It must not modify them. */
  start(keys: KeyArray): Promise<Trial>;
}

export interface Trial {
  /** Sorts the keys once. @returns the seconds of each of the contender's metrics. */
  run(): Promise<Seconds>;
  /** The keys that the last run found or sorted, and how often each occurs if the task counts them. */
  result(): Promise<Result<KeyArray>>;
  /**
   * The values after the last run, each of which was its key's index before. Absent if keys have no values.
   */
  indices?(): Promise<Uint32Array>;
  /** The keys as the last run got them. Absent if all runs get them as they were given. */
  input?(): KeyArray;
  end(): void;
}

export type Seconds = Readonly<Partial<Record<Metric, number>>>;

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
