// What kernels report of keys that are to be numbers or dates: which rows are in error, and for each key how many
// values do not fit. src/rows/report.ts reads it.

import { isMissing } from "./fields";
import { Key, Order } from "./order";
import {
  cursorAfter,
  DOES_NOT_FIT,
  endAfter,
  FITS,
  firstWord,
  holds,
  IS_MISSING,
  isInvalid,
  MARK,
} from "./words";

const INVALID_ROW: usize = 4; // u32, the first row with a key that is in error, plus 1; 0 for none
const INVALID_KEY: usize = 8; // u32, the number of that key; with the mark MISSING if the row has no such field
const MISSING: u32 = 1 << 31;

/** The tallies of the keys come after what else is reported. */
const TALLIES: usize = 56;
const TALLY_BYTES: usize = 24;
const MISFITS: usize = 0; // u32, values that do not fit
const FIRST_ROW: usize = 4; // u32, the row of the first of them, plus 1; 0 for none
const FIRST_FROM: usize = 8; // u32, where that value begins in the text
const FIRST_TO: usize = 12; // u32, where it ends
const HAS_VALUE: usize = 16; // u32, whether a value fits
const MISSING_ROW: usize = 20; // u32, the first row without a value, plus 1; 0 for none

/** Counts a row's key, of which the first word was made last, and reports it if it is in error. */
export function tallyKey(report: usize, order: Order, key: Key, number: u32, row: u32): void {
  const tally = report + TALLIES + <usize>number * TALLY_BYTES;
  if (holds === FITS) store<u32>(tally, 1, HAS_VALUE);
  else if (holds === DOES_NOT_FIT) {
    store<u32>(tally, load<u32>(tally, MISFITS) + 1, MISFITS);
    const first = load<u32>(tally, FIRST_ROW);
    if (first === 0 || row + 1 < first) {
      store<u32>(tally, row + 1, FIRST_ROW);
      store<u32>(tally, cursorAfter & ~MARK, FIRST_FROM);
      store<u32>(tally, <u32>(endAfter - order.text), FIRST_TO);
    }
  }
  if (holds === IS_MISSING) {
    const first = load<u32>(tally, MISSING_ROW);
    if (first === 0 || row + 1 < first) store<u32>(tally, row + 1, MISSING_ROW);
  }
  if (isMissing && key.isRequired) reportInvalid(report, row, number | MISSING);
  if (isInvalid) reportInvalid(report, row, number);
}

/** Counts the keys of `n` rows from key number `first` on. */
export function checkAllKeys(row: u32, n: usize, first: u32, report: usize, order: Order): void {
  for (let i: u32 = 0; i < <u32>n; i++) {
    for (let number = first; number < order.keyCount; number++) {
      const key = order.keyAt(number);
      firstWord(order, key, row + i);
      tallyKey(report, order, key, number, row + i);
    }
  }
}

function reportInvalid(report: usize, row: u32, key: u32): void {
  const reported = load<u32>(report, INVALID_ROW);
  if (reported !== 0 && reported <= row + 1) return;
  store<u32>(report, row + 1, INVALID_ROW);
  store<u32>(report, key, INVALID_KEY);
}
