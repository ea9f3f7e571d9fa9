import type { Sample } from "./mover.js";

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
  /** Places in it, in ascending order; the first one is its begin. */
  readonly samples: readonly Sample[];
}
