// Where the runs of a merge are divided, and whether they are in order.

import { startBudget } from "../budget";
import { compareRows } from "../compare";
import { beginSort, ComparisonSort, continueSort } from "../comparison_sort";
import { Order } from "../order";

// A run: its first row, and the number of its rows.
export const RUN_BYTES: usize = 8;
const ROWS: usize = 4;

/** Sorts elements, which need no words, by the keys of their rows. */
export function sortRows(elements: usize, n: usize, scratch: usize, order: Order, tables: usize): void {
  const sort = changetype<ComparisonSort>(tables);
  beginSort(sort, elements, n, 0);
  do startBudget();
  while (!continueSort(sort, scratch - elements, order));
}

/** Reports the place of the least row in a list of `n` rows, as u32: the first of equal ones. */
export function leastRow(rows: usize, n: u32, report: usize, order: Order): void {
  const key = order.keyAt(0);
  let least: u32 = 0;
  for (let i: u32 = 1; i < n; i++) {
    if (compareRows(order, key, load<u32>(rows + (i << 2)), load<u32>(rows + (least << 2))) < 0) least = i;
  }
  store<u32>(report, least);
}

/**
 * Finds how many rows of each of `n` runs are merged up to a row of one of them, with it.
 *
 * @param run the number of its run.
 * @param to where the numbers go, as u32.
 */
export function cutRuns(runs: usize, n: u32, run: u32, row: u32, to: usize, order: Order): void {
  for (let i: u32 = 0; i < n; i++) {
    const own = runs + <usize>i * RUN_BYTES;
    const first = load<u32>(own);
    const cut = i === run ? row - first + 1 : rowsBefore(first, load<u32>(own, ROWS), row, i < run, order);
    store<u32>(to + (i << 2), cut);
  }
}

/**
 * Reports the first of `n` rows from number `row` on that comes before the one before it, as u32; 0 if there is
 * none.
 */
export function findDisorder(row: u32, n: u32, report: usize, order: Order): void {
  const key = order.keyAt(0);
  for (let i: u32 = 0; i < n; i++) {
    if (compareRows(order, key, row + i - 1, row + i) <= 0) continue;
    store<u32>(report, row + i);
    return;
  }
}

/** How many of `n` sorted rows go before a row, with those that are equal to it if `equal` is set. */
function rowsBefore(first: u32, n: u32, row: u32, equal: bool, order: Order): u32 {
  const key = order.keyAt(0);
  let low: u32 = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareRows(order, key, first + middle, row) < <i32>equal) low = middle + 1;
    else high = middle;
  }
  return low;
}
