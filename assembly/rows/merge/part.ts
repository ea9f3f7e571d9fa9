// A part of a merge: where it goes, the copy of its rows, the check of its end, and what is reported of it.

import { compareRows } from "../compare";
import { NONE, Order } from "../order";

/** A part of the result. Instead of a row that there is not, it has NONE. */
@unmanaged
export class Part {
  /** Where the first row goes, and the end of the last one. */
  out: usize;
  outEnd: usize;
  /** The row before the part, and one that no row of the part comes after. */
  before: u32;
  last: u32;
  /**
   * The address of a number for each row, as u32, which is written instead of the row; 0 if rows are written.
   */
  numbers: usize;
  hashesRows: bool;
}

// What is reported of a merge, after what is reported of invalid keys: see ../rows/tally.ts.
const WRITTEN_ROWS: usize = 12; // u32
const WRITTEN_BYTES: usize = 16; // u32
const INVERSIONS: usize = 20; // u32, neighbours in the wrong order
const EQUAL_ROWS: usize = 24; // u32, left out, as they are equal to the one before
const EQUAL_BYTES: usize = 28; // u32, what they would have taken
const CHANGED: usize = 32; // u32, rows that are not as they were in their run
const HASHES: usize = 40; // u64, the sum of the hashes of all rows, those left out included, if they are hashed

export function reportWritten(report: usize, rows: u32, bytes: usize, changed: u32, hashes: u64): void {
  store<u32>(report, rows, WRITTEN_ROWS);
  store<u32>(report, <u32>bytes, WRITTEN_BYTES);
  store<u32>(report, changed, CHANGED);
  store<u64>(report, hashes, HASHES);
}

export function reportNeighbours(report: usize, inversions: u32, equalRows: u32, equalBytes: u32): void {
  store<u32>(report, inversions, INVERSIONS);
  store<u32>(report, equalRows, EQUAL_ROWS);
  store<u32>(report, equalBytes, EQUAL_BYTES);
}

/**
 * Compares the row that was written last, or NONE, with the one that no row of the part comes after.
 *
 * @param isWhole whether the part has ended before the most rows were written.
 * @returns 1 if they are in the wrong order, else 0.
 */
export function inversionsAtEnd(part: Part, previous: u32, isWhole: bool, order: Order): u32 {
  const last = part.last;
  if (!isWhole || last === NONE || previous === NONE) return 0;
  return <u32>(compareRows(order, order.keyAt(0), previous, last) > 0);
}

/** Writes the number of row number `row`. @returns whether what was written is right. */
export function writeRowNumber(to: usize, numbers: usize, row: u32): bool {
  const number = load<u32>(numbers + ((<usize>row) << 2));
  store<u32>(to, number);
  return load<u32>(to) === number;
}

/**
 * Copies a row, and reads the copy again. It may write beyond the row what the next one replaces.
 *
 * @returns whether the copy is right.
 */
export function copyChecked(to: usize, from: usize, length: usize, outEnd: usize): bool {
  if (length > 256 || to + ((length + 15) & ~15) > outEnd) {
    memory.copy(to, from, length);
    return isCopied(to, from, length);
  }
  let bits = i64x2.splat(0);
  for (let at: usize = 0; at < length; at += 16) {
    v128.store(to + at, v128.load(from + at));
    bits = v128.or(bits, v128.xor(v128.load(to + at), v128.load(from + at)));
  }
  return !v128.any_true(bits);
}

/** Whether a row was copied right. */
function isCopied(to: usize, from: usize, length: usize): bool {
  if (length >= 16) {
    const last = length - 16;
    let bits = v128.xor(v128.load(to + last), v128.load(from + last));
    for (let at: usize = 0; at < last; at += 16) {
      bits = v128.or(bits, v128.xor(v128.load(to + at), v128.load(from + at)));
    }
    return !v128.any_true(bits);
  }
  const bits = load<u64>(to) ^ load<u64>(from);
  if (length >= 8) return (bits | (load<u64>(to + length - 8) ^ load<u64>(from + length - 8))) === 0;
  return length === 0 || bits << (64 - 8 * <u64>length) === 0;
}
