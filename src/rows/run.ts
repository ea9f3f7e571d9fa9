import type { Sample } from "./write_rows.js";

/** Holds sorted runs, usually in a temporary file. */
export interface RowStore {
  read(into: Uint8Array, offset: number): Promise<void>;
  write(from: Uint8Array, offset: number): Promise<void>;
  close(): Promise<void>;
}

/** A sorted part of the input in a store. */
export interface Run {
  /** Where it begins in the store, and its bytes. */
  readonly at: number;
  readonly bytes: number;
  readonly rows: number;
  /**
   * Where the numbers of its rows in the input are in the store, as u32; undefined if they are not wanted.
   */
  readonly numbersAt?: number | undefined;
  /** The sums of the numbers of the rows from each sample to the next. */
  readonly numberSums?: readonly number[] | undefined;
  /** Places in it, in ascending order; the first one is its begin. */
  readonly samples: readonly Sample[];
}

/** The sum of numbers of rows, modulo 2^32. */
export function sumOfNumbers(numbers: Uint32Array): number {
  let sum = 0;
  for (const number of numbers) sum = (sum + number) >>> 0;
  return sum;
}
