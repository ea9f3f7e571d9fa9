import type { KeyArray } from "../core/elements.js";
import type { SortDescription } from "../core/sorter/description.js";
import type { Sorter } from "../core/sorter/sorter.js";

/**
 * What is done with the keys of a benchmark: a value of the axis `--task`. It says how each column does it, and
 * by JavaScript's own sorts also what the right result is. To add one, add it to `taskKinds` in tasks.ts.
 */
export interface Task {
  /** As in `--task` and in results, with its number in decimal: "sort", "top:1000". */
  readonly name: string;
  /** Whether the result depends on where the keys are, and not only on which keys there are. */
  readonly byPlace: boolean;
  /** Whether it is of keys alone: no values can move with them. */
  readonly keysOnly: boolean;
  /** The least number of keys that it must write, whatever the keys are. It must read all of them. */
  readonly leastWritten: (keyCount: number) => number;
  /** What code in JavaScript does with a plain array. It may change the array. */
  readonly array: (keys: Numbers, compare: Comparator) => Result<Numbers>;
  /** What code in JavaScript does with a typed array. It may change the array. */
  readonly typed: (keys: KeyArray) => Result<KeyArray>;
  /**
   * What it asks of gpusort's sorter. Undefined for a sort of all keys: engines do that themselves, by the
   * algorithm that is asked for, and time the transfers.
   */
  readonly gpusort: SorterTask | undefined;
}

/** A plain array of keys. */
export type Numbers = (number | bigint)[];

/** Orders keys as typed arrays do. */
export type Comparator = (a: number | bigint, b: number | bigint) => number;

export interface Result<Keys> {
  readonly keys: Keys;
  /** How often each key occurs. Only of a task that counts. */
  readonly counts?: Uint32Array;
}

/** A task in the words of gpusort's sorter. */
export interface SorterTask {
  /**
   * Makes the arrays of the results, which all runs share.
   *
   * @param keys as many keys as there will be.
   * @param values some words for each key; empty if the keys have no values.
   * @returns the call of the sorter, for keys and values of the same lengths. It checks nothing.
   */
  readonly onArrays: (keys: KeyArray, values: Uint32Array) => SorterCall;
  /** The sort of keys that are on the device. */
  readonly onDevice: (keyCount: number) => Pick<SortDescription, "top" | "unique" | "segments">;
  /** Where the segments begin, and where the last one ends. Only of a task that sorts segments. */
  readonly offsets?: (keyCount: number) => Uint32Array;
}

export type SorterCall = (
  sorter: Sorter,
  keys: KeyArray,
  values: Uint32Array,
) => Promise<Result<KeyArray> & { readonly values?: Uint32Array }>;
