import type { Phase } from "../core/streams/phase_clock.js";
import type { ExternalReport } from "./items/external_sort.js";
import type { Misfits } from "./rows/misfits.js";

/** The result of `sortFile`: what was sorted, how, and how long it took. */
export interface SortSummary extends ExternalReport {
  /** The name of the input. For several inputs: the name of the first, and how many more there are. */
  readonly input: string;
  /** The name of the output. */
  readonly output: string;
  /** The type of the keys; "record" for records; "line" for lines; "row" for rows of tables. */
  readonly type: string;
  /** Bytes per item: per key, or per record; of the rows of tables, their mean; 0 for lines. */
  readonly itemBytes: number;
  /** Bytes of all items that were sorted. */
  readonly bytes: number;
  /** The number of items in the output. With `unique` or `head` it can be less than `keyCount`. */
  readonly written: number;
  /** The columns that were sorted by, in words, with what was guessed; absent if none were named. */
  readonly by?: string;
  /** Values of columns of CSV that are not what the columns are said to hold; absent if there are none. */
  readonly misfits?: readonly Misfits[];
  /**
   * Whether the output is in descending order. For lines: whether their first key descends; for
   * tables: whether all directions were turned around.
   */
  readonly descending: boolean;
  /**
   * The phases of the sort. The first one, "start", opens the files and the device; the last one, "publish",
   * gives the output file its name.
   */
  readonly phases: readonly Phase[];
  /** Milliseconds from the call to the published output. */
  readonly totalMs: number;
}
