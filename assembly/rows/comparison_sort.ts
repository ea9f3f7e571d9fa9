// Sorts elements by comparisons of their rows, and keeps the order of equal ones: short runs by insertion, which
// are then merged, each two into one. It may stop after any row, and goes on later where it stopped.

import { isBudgetUsedUp } from "./budget";
import { compareRows } from "./compare";
import { ELEMENT_BYTES, markEqual, rowOf } from "./elements";
import { keyAt, marksEqual } from "./order";

/** The most rows that are sorted by insertion. */
export const FEW: usize = 12;

// A sort, as words.
const ELEMENTS: usize = 0;
const COUNT: usize = 4;
/** The number of the first key that is compared. */
const NUMBER: usize = 8;
/** How many elements each sorted run has; or UNSORTED, or MARKING. */
const LENGTH: usize = 12;
/** The next place to be filled, or the next element that is compared with the one before it. */
const AT: usize = 16;
/** The next elements of the two runs that are merged. */
const LEFT: usize = 20;
const RIGHT: usize = 24;
export const SORT_BYTES: usize = 28;

const UNSORTED: u32 = 0;
/** All is sorted, and equal elements are being marked. */
const MARKING: u32 = 0xffffffff;

export function beginSort(sort: usize, elements: usize, n: usize, number: u32): void {
  store<u32>(sort, <u32>elements, ELEMENTS);
  store<u32>(sort, <u32>n, COUNT);
  store<u32>(sort, number, NUMBER);
  beginPass(sort, UNSORTED, 1);
}

function beginPass(sort: usize, length: u32, at: usize): void {
  store<u32>(sort, length, LENGTH);
  store<u32>(sort, <u32>at, AT);
}

/**
 * Goes on with a sort.
 *
 * @param away how far behind the elements there is room for as many.
 * @returns whether it has ended; else the budget is used up.
 */
export function continueSort(sort: usize, away: usize, order: usize): bool {
  const elements: usize = load<u32>(sort, ELEMENTS);
  const n: usize = load<u32>(sort, COUNT);
  const key = keyAt(order, load<u32>(sort, NUMBER));
  if (load<u32>(sort, LENGTH) === UNSORTED) {
    if (!insertAll(sort, elements, n, key, order)) return false;
    beginPass(sort, <u32>FEW, 0);
  }
  if (load<u32>(sort, LENGTH) !== MARKING) {
    let from = elements;
    let to = elements + away;
    for (let length = FEW; length < n; length *= 2) {
      if (length >= load<u32>(sort, LENGTH)) {
        if (!mergeAll(sort, from, to, n, length, key, order)) return false;
        beginPass(sort, <u32>length * 2, 0);
      }
      const swap = from;
      from = to;
      to = swap;
    }
    if (from !== elements) memory.copy(elements, from, n * ELEMENT_BYTES);
    beginPass(sort, MARKING, n - 1);
  }
  return !marksEqual(order) || markAll(sort, elements, key, order);
}

function insertAll(sort: usize, elements: usize, n: usize, key: usize, order: usize): bool {
  for (let at: usize = load<u32>(sort, AT); at < n; at++) {
    if (isBudgetUsedUp()) {
      store<u32>(sort, <u32>at, AT);
      return false;
    }
    insert(elements + (at - (at % FEW)) * ELEMENT_BYTES, elements + at * ELEMENT_BYTES, key, order);
  }
  return true;
}

/** Inserts an element into the sorted ones before it. */
function insert(first: usize, own: usize, key: usize, order: usize): void {
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
  sort: usize,
  from: usize,
  to: usize,
  n: usize,
  length: usize,
  key: usize,
  order: usize,
): bool {
  let at: usize = load<u32>(sort, AT);
  let a: usize = load<u32>(sort, LEFT);
  let b: usize = load<u32>(sort, RIGHT);
  for (let begin = at - (at % (2 * length)); begin < n; begin += 2 * length) {
    const middle = min<usize>(n, begin + length);
    const end = min<usize>(n, middle + length);
    if (at === begin) {
      a = begin;
      b = middle;
    }
    for (; at < end; at++) {
      if (isBudgetUsedUp()) {
        store<u32>(sort, <u32>at, AT);
        store<u32>(sort, <u32>a, LEFT);
        store<u32>(sort, <u32>b, RIGHT);
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
function markAll(sort: usize, elements: usize, key: usize, order: usize): bool {
  for (let at: usize = load<u32>(sort, AT); at > 0; at--) {
    if (isBudgetUsedUp()) {
      store<u32>(sort, <u32>at, AT);
      return false;
    }
    const own = elements + at * ELEMENT_BYTES;
    if (compareRows(order, key, rowOf(own - ELEMENT_BYTES), rowOf(own)) === 0) markEqual(own);
  }
  return true;
}
