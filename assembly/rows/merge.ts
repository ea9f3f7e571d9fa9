// Merges sorted runs of rows by the words of their keys, with a tree of losers: D. Knuth, "The art of computer
// programming", vol. 3, 5.4.1. Rows with equal keys come in the order of their runs.

import { advance, nextKey, nextStage } from "./advance";
import { compareRows } from "./compare";
import { ELEMENT_BYTES, markEqual, rowOf, wordOf } from "./elements";
import { keyAt, marksEqual } from "./order";
import { sortByComparison } from "./refine";

// A run: its first row, the number of its rows, and the address of the first row's element.
const RUN_BYTES: usize = 12;
const ROWS: usize = 4;
const ELEMENTS: usize = 8;

// A leaf of the tree: the word of the next element, its address, and the end of the elements of the part.
const LEAF_BYTES: usize = 16;
const NEXT: usize = 8;
const END: usize = 12;

const NONE: u32 = 0xffffffff;

/** Sorts elements, which need no words, by the keys of their rows. */
export function sortRows(elements: usize, n: usize, scratch: usize, order: usize): void {
  sortByComparison(elements, n, keyAt(order, 0), scratch, order);
}

/** Reports the place of the least row in a list of `n` rows, as u32: the first of equal ones. */
export function leastRow(rows: usize, n: u32, report: usize, order: usize): void {
  const key = keyAt(order, 0);
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
export function cutRuns(runs: usize, n: u32, run: u32, row: u32, to: usize, order: usize): void {
  for (let i: u32 = 0; i < n; i++) {
    const own = runs + <usize>i * RUN_BYTES;
    const first = load<u32>(own);
    const cut = i === run ? row - first + 1 : rowsBefore(first, load<u32>(own, ROWS), row, i < run, order);
    store<u32>(to + (i << 2), cut);
  }
}

/** How many of `n` sorted rows go before a row, with those that are equal to it if `equal` is set. */
function rowsBefore(first: u32, n: u32, row: u32, equal: bool, order: usize): u32 {
  const key = keyAt(order, 0);
  let low: u32 = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareRows(order, key, first + middle, row) < <i32>equal) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a key that is no string goes on after the first word of some row. */
let goesOn: bool = false;

/** Compares two rows with the same first word. */
function compareEqualWords(order: usize, word: u64, a: u32, b: u32): i32 {
  if (!advance(order, 0, 0, word, goesOn)) return 0;
  return compareRows(order, keyAt(order, nextStage === 0 ? nextKey : 0), a, b);
}

/** Whether the next element of leaf `a` comes before that of leaf `b`. */
function isBefore(leaves: usize, a: u32, b: u32, order: usize): bool {
  const left = leaves + <usize>a * LEAF_BYTES;
  const right = leaves + <usize>b * LEAF_BYTES;
  const word = load<u64>(left);
  const other = load<u64>(right);
  if (word !== other) return word < other;
  const next: usize = load<u32>(left, NEXT);
  if (next === <usize>load<u32>(left, END)) return false; // its word is the largest one
  const otherNext: usize = load<u32>(right, NEXT);
  if (otherNext === <usize>load<u32>(right, END)) return true;
  const compared = compareEqualWords(order, word, rowOf(next), rowOf(otherNext));
  return compared < 0 || (compared === 0 && a < b);
}

/**
 * Merges a part of `n` runs, and marks what is equal to the element before it if the order asks for it, but for
 * the first one.
 *
 * @param from how many elements of each run come before the part, as u32; `end` how many end with it.
 * @param state 20 bytes for each run, aligned to 8.
 * @param more whether a key that is no string goes on after the first word of some row.
 */
export function mergeRuns(
  runs: usize,
  n: u32,
  from: usize,
  end: usize,
  out: usize,
  state: usize,
  more: bool,
  order: usize,
): void {
  const leaves = state;
  const losers = state + <usize>n * LEAF_BYTES;
  const marks = marksEqual(order);
  goesOn = more;
  memory.fill(losers, 0xff, (<usize>n) << 2);
  let winner: u32 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const elements: usize = load<u32>(runs + <usize>i * RUN_BYTES, ELEMENTS);
    const leaf = leaves + <usize>i * LEAF_BYTES;
    const next = elements + <usize>load<u32>(from + (i << 2)) * ELEMENT_BYTES;
    const last = elements + <usize>load<u32>(end + (i << 2)) * ELEMENT_BYTES;
    store<u32>(leaf, <u32>next, NEXT);
    store<u32>(leaf, <u32>last, END);
    store<u64>(leaf, next < last ? wordOf(next) : <u64>-1);
    winner = i;
    for (let node = (i + n) >> 1; node > 0; node >>= 1) {
      const loser = load<u32>(losers + (node << 2));
      if (loser === NONE) {
        store<u32>(losers + (node << 2), winner);
        break;
      }
      if (!isBefore(leaves, loser, winner, order)) continue;
      store<u32>(losers + (node << 2), winner);
      winner = loser;
    }
  }
  for (let to = out; ; to += ELEMENT_BYTES) {
    const leaf = leaves + <usize>winner * LEAF_BYTES;
    const own: usize = load<u32>(leaf, NEXT);
    const last: usize = load<u32>(leaf, END);
    if (own === last) return;
    v128.store(to, v128.load(own));
    if (marks && to > out) {
      const before = to - ELEMENT_BYTES;
      const word = wordOf(own);
      if (wordOf(before) === word && compareEqualWords(order, word, rowOf(before), rowOf(own)) === 0) {
        markEqual(to);
      }
    }
    const next = own + ELEMENT_BYTES;
    let word: u64 = next < last ? wordOf(next) : <u64>-1;
    store<u32>(leaf, <u32>next, NEXT);
    store<u64>(leaf, word);
    for (let node = (winner + n) >> 1; node > 0; node >>= 1) {
      const loser = load<u32>(losers + (node << 2));
      const other = load<u64>(leaves + <usize>loser * LEAF_BYTES);
      let loses = other < word;
      if (other === word) loses = isBefore(leaves, loser, winner, order);
      // Without a branch, as nobody can predict which of two inputs goes on.
      store<u32>(losers + (node << 2), select<u32>(winner, loser, loses));
      winner = select<u32>(loser, winner, loses);
      word = select<u64>(other, word, loses);
    }
  }
}

/** Marks an element as equal to the one at `before` if it is. */
export function markIfEqual(element: usize, before: usize, order: usize): void {
  if (compareRows(order, keyAt(order, 0), rowOf(before), rowOf(element)) === 0) markEqual(element);
}
