// Sorts elements by comparisons of their rows, and keeps the order of equal ones: short runs by insertion, which
// are then merged, each two into one. It may stop after any row, and goes on later where it stopped.

import { isBudgetUsedUp } from "./budget";
import { compareRows } from "./compare";
import { ELEMENT_BYTES, markEqual, rowOf } from "./elements";
import { Key, Order } from "./order";

/** The most rows that are sorted by insertion. */
export const FEW: usize = 12;

const UNSORTED: usize = 0;
/** All is sorted, and equal elements are being marked. */
const MARKING: usize = 0xffffffff;

@unmanaged
export class ComparisonSort {
  elements: usize;
  count: usize;
  /** The number of the first key that is compared. */
  number: u32;
  /** How many elements each sorted run has; or UNSORTED, or MARKING. */
  length: usize;
  /** The next place to be filled, or the next element that is compared with the one before it. */
  at: usize;
  /** The next elements of the two runs that are merged. */
  left: usize;
  right: usize;
}

export function beginSort(sort: ComparisonSort, elements: usize, n: usize, number: u32): void {
  sort.elements = elements;
  sort.count = n;
  sort.number = number;
  beginPass(sort, UNSORTED, 1);
}

function beginPass(sort: ComparisonSort, length: usize, at: usize): void {
  sort.length = length;
  sort.at = at;
}

/**
 * Goes on with a sort.
 *
 * @param away how far behind the elements there is room for as many.
 * @returns whether it has ended; else the budget is used up.
 */
export function continueSort(sort: ComparisonSort, away: usize, order: Order): bool {
  const elements = sort.elements;
  const n = sort.count;
  const key = order.keyAt(sort.number);
  if (sort.length === UNSORTED) {
    if (!insertAll(sort, elements, n, key, order)) return false;
    beginPass(sort, FEW, 0);
  }
  if (sort.length !== MARKING) {
    let from = elements;
    let to = elements + away;
    for (let length = FEW; length < n; length *= 2) {
      if (length >= sort.length) {
        if (!mergeAll(sort, from, to, n, length, key, order)) return false;
        beginPass(sort, length * 2, 0);
      }
      const swap = from;
      from = to;
      to = swap;
    }
    if (from !== elements) memory.copy(elements, from, n * ELEMENT_BYTES);
    beginPass(sort, MARKING, n - 1);
  }
  return !order.marksEqual || markAll(sort, elements, key, order);
}

function insertAll(sort: ComparisonSort, elements: usize, n: usize, key: Key, order: Order): bool {
  for (let at = sort.at; at < n; at++) {
    if (isBudgetUsedUp()) {
      sort.at = at;
      return false;
    }
    insert(elements + (at - (at % FEW)) * ELEMENT_BYTES, elements + at * ELEMENT_BYTES, key, order);
  }
  return true;
}

/** Inserts an element into the sorted ones before it. */
function insert(first: usize, own: usize, key: Key, order: Order): void {
  const element = v128.load(own);
  const row = rowOf(own);
  let hole = own;
  while (hole > first && compareRows(order, key, rowOf(hole - ELEMENT_BYTES), row) > 0) {
    v128.store(hole, v128.load(hole - ELEMENT_BYTES));
    hole -= ELEMENT_BYTES;
  }
  v128.store(hole, element);
}

/** Merges runs of this length, each two into one. */
function mergeAll(
  sort: ComparisonSort,
  from: usize,
  to: usize,
  n: usize,
  length: usize,
  key: Key,
  order: Order,
): bool {
  let at = sort.at;
  let a = sort.left;
  let b = sort.right;
  for (let begin = at - (at % (2 * length)); begin < n; begin += 2 * length) {
    const middle = min<usize>(n, begin + length);
    const end = min<usize>(n, middle + length);
    if (at === begin) {
      a = begin;
      b = middle;
    }
    for (; at < end; at++) {
      if (isBudgetUsedUp()) {
        sort.at = at;
        sort.left = a;
        sort.right = b;
        return false;
      }
      const left = from + a * ELEMENT_BYTES;
      const right = from + b * ELEMENT_BYTES;
      const takesLeft = b >= end || (a < middle && compareRows(order, key, rowOf(left), rowOf(right)) <= 0);
      v128.store(to + at * ELEMENT_BYTES, v128.load(takesLeft ? left : right));
      if (takesLeft) a++;
      else b++;
    }
  }
  return true;
}

/** Marks elements that are equal to the one before, from the last one on. */
function markAll(sort: ComparisonSort, elements: usize, key: Key, order: Order): bool {
  for (let at = sort.at; at > 0; at--) {
    if (isBudgetUsedUp()) {
      sort.at = at;
      return false;
    }
    const own = elements + at * ELEMENT_BYTES;
    if (compareRows(order, key, rowOf(own - ELEMENT_BYTES), rowOf(own)) === 0) markEqual(own);
  }
  return true;
}
