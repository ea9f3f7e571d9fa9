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
