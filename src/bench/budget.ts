/** Reads a monotonic clock, in milliseconds. Tests pass a clock of their own. */
export type Now = () => number;

/** What the crossovers of some rows may take, relative to what these rows take. */
const CROSSOVER_PART = 0.25;

/** The seconds that a row takes at most by default: enough to sort twice by the slowest sort, an array's. */
export function rowSeconds(keyCount: number): number {
  return 3 + 2.5e-6 * keyCount;
}

/** The seconds that the search for crossovers takes at most by default. @param seconds those of all rows. */
export function crossoverSeconds(seconds: number): number {
  return CROSSOVER_PART * seconds;
}

/**
 * Divides a benchmark's seconds among its parts: the rows and the searches for crossovers. Each part has a
 * weight, the seconds that it takes at most by default. What a part leaves, or takes too much, the parts after
 * it share by their weights.
 */
export class Budget {
  readonly now: Now;
  readonly #seconds: number;
  readonly #weight: number;
  #weightLeft: number;
  #end: number;

  /**
   * @param weight the sum of the weights of all parts.
   * @param begin when the time began, in milliseconds of the clock.
   */
  constructor(seconds: number, weight: number, now: Now, begin = now()) {
    this.#seconds = seconds;
    this.#weight = weight;
    this.now = now;
    this.#weightLeft = weight;
    this.#end = begin + seconds * 1000;
  }

  get secondsLeft(): number {
    return Math.max(0, (this.#end - this.now()) / 1000);
  }

  /** The seconds of a part if every part takes what it may. */
  secondsFor(weight: number): number {
    return (this.#seconds * weight) / this.#weight;
  }

  /** Begins the next part. @returns its seconds: of those that are left, now. */
  take(weight: number): number {
    const part = this.secondsLeft * Math.min(1, weight / this.#weightLeft);
    this.#weightLeft -= weight;
    return part;
  }

  /** Leaves a part out, with its seconds. */
  skip(weight: number): void {
    this.#end -= this.take(weight) * 1000;
  }
}
