import type { Way } from "./way.js";

/** What of a benchmark is measured at once, in turns: one input. */
export interface Point {
  readonly type: string;
  readonly distribution: string;
  /** Bytes of the value that goes along with each key; 0 for keys alone. */
  readonly payloadBytes: number;
  readonly keyCount: number;
}

/** One line of a benchmark: all that was measured of one algorithm on one input. */
export interface BenchRow extends Point {
  readonly algorithm: string;
  /** "grid" for the sizes that were asked for, "crossover" for those that the search for a crossover added. */
  readonly purpose: "grid" | "crossover";
  readonly cells: Readonly<Partial<Record<Way, Cell>>>;
  /** Bytes read and written a second by the copy kernel, its median in the same rounds; null without an adapter. */
  readonly copyBytesPerSecond: number | null;
}

export type Cell = Measured | Skipped;

export interface Skipped {
  readonly skipped: string;
}

/** Seconds of one sort, and what is known of their quality. */
export interface Measured {
  readonly medianSeconds: number;
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** The 95% confidence interval of the median; least and largest where there were too few rounds for one. */
  readonly lowSeconds: number;
  readonly highSeconds: number;
  /** Half that interval's width over the median; null where there were too few rounds to tell. */
  readonly relativeError: number | null;
  /** Timed runs. */
  readonly runs: number;
  /** The median of each round's runs, in order: what the statistics are of. */
  readonly roundSeconds: readonly number[];
  readonly stop: StopReason;
  readonly warnings: readonly Warning[];
  /** Fixed work in the same rounds: a small sort for the CPU's, the copy kernel for the GPU's, an answer for round trips. */
  readonly roundReferenceSeconds: readonly number[];
}

/** Why no more was measured: its error is under the bound, its seconds or its runs are spent. */
export type StopReason = "error" | "budget" | "runs";

/** The error is over the bound; the times, or those of the reference work, moved while they were taken. */
export type Warning = "wide" | "drift" | "clock";

export function isMeasured(cell: Cell | undefined): cell is Measured {
  return cell !== undefined && "medianSeconds" in cell;
}
