// Sorts rows further whose words are equal: few by comparisons, many by their next word. A multikey radix sort of
// strings by words; J. Bentley and R. Sedgewick, "Fast algorithms for sorting and searching strings", SODA 1997,
// divide by single bytes.

import { sortRange } from "../radix";
import { advance, nextKey, nextStage } from "./advance";
import { compareRows } from "./compare";
import { ELEMENT_BYTES, fillHasMore, fillWords, markAllEqual, markEqual, rowOf, wordOf } from "./elements";
import { BYTES, comparisonOf, ENDS_ELSEWHERE, endingOf, keyAt, marksEqual } from "./order";
import { isMisfitStage, wordsBefore } from "./words";

/** Up to so many rows are sorted by insertion. */
const FEW: usize = 12;

/** Words of one key after which rows are compared, if each further word means to look for the key again. */
const MOST_WORDS: u32 = 8;

/**
 * Sorts the elements of each group of equal words by what follows in their keys, and marks equal ones if the order
 * asks for it.
 *
 * @param number the key that the words are of, from 0; `stage` how many words of it came before.
 * @param more whether a key goes on after such a word, unless it is a string.
 * @param scratch as many bytes as the elements take.
 * @param found findings that nobody reads.
 */
export function refine(
  elements: usize,
  n: usize,
  number: u32,
  stage: u32,
  more: bool,
  scratch: usize,
  found: usize,
  order: usize,
  job: usize,
  tables: usize,
): void {
  const end = elements + n * ELEMENT_BYTES;
  for (let from = elements; from < end; ) {
    const word = wordOf(from);
    let to = from + ELEMENT_BYTES;
    while (to < end && wordOf(to) === word) to += ELEMENT_BYTES;
    if (to - from > ELEMENT_BYTES) {
      const other = scratch + (from - elements);
      refineGroup(from, (to - from) / ELEMENT_BYTES, number, stage, more, other, found, order, job, tables);
    }
    from = to;
  }
}

/** Sorts elements with equal words. The largest of their groups comes last, so calls nest only log(n) deep. */
function refineGroup(
  elements: usize,
  n: usize,
  number: u32,
  stage: u32,
  more: bool,
  scratch: usize,
  found: usize,
  order: usize,
  job: usize,
  tables: usize,
): void {
  for (;;) {
    if (!advance(order, number, stage, wordOf(elements), more)) {
      if (marksEqual(order)) markAllEqual(elements, n);
      return;
    }
    number = nextKey;
    stage = nextStage;
    const key = keyAt(order, number);
    const isOfBytes = comparisonOf(key) === BYTES || isMisfitStage(stage);
    const looksAnew = endingOf(key) === ENDS_ELSEWHERE || !isOfBytes;
    if (n <= FEW || (wordsBefore(stage) >= MOST_WORDS && looksAnew)) {
      sortByComparison(elements, n, key, scratch, order);
      return;
    }
    const differing = fillWords(elements, n, number, stage, order);
    more = fillHasMore;
    if (differing === 0) continue;
    const bits: u32 = 64 - <u32>clz(differing);
    sortRange<v128>(elements, scratch, n, bits, false, found, job, tables);

    const end = elements + n * ELEMENT_BYTES;
    let largest: usize = 0;
    let largestCount: usize = 1;
    for (let from = elements; from < end; ) {
      const word = wordOf(from);
      let to = from + ELEMENT_BYTES;
      while (to < end && wordOf(to) === word) to += ELEMENT_BYTES;
      const count = (to - from) / ELEMENT_BYTES;
      let smaller = from;
      let smallerCount = count;
      if (count > largestCount) {
        smaller = largest;
        smallerCount = largest === 0 ? 1 : largestCount;
        largest = from;
        largestCount = count;
      }
      if (smallerCount > 1) {
        const other = scratch + (smaller - elements);
        refineGroup(smaller, smallerCount, number, stage, more, other, found, order, job, tables);
      }
      from = to;
    }
    if (largestCount === 1) return;
    scratch += largest - elements;
    elements = largest;
    n = largestCount;
  }
}

/** Merges sorted runs, which begin as short ones that are sorted by insertion. Keeps the order of equal rows. */
export function sortByComparison(elements: usize, n: usize, key: usize, scratch: usize, order: usize): void {
  for (let at: usize = 0; at < n; at += FEW) {
    insertionSort(elements + at * ELEMENT_BYTES, min<usize>(FEW, n - at), key, order);
  }
  let from = elements;
  let to = scratch;
  for (let length = FEW; length < n; length *= 2) {
    for (let at: usize = 0; at < n; at += 2 * length) {
      const middle = min<usize>(n, at + length);
      merge(from, to, at, middle, min<usize>(n, middle + length), key, order);
    }
    const swap = from;
    from = to;
    to = swap;
  }
  if (from !== elements) memory.copy(elements, from, n * ELEMENT_BYTES);
  if (!marksEqual(order)) return;
  for (let i: usize = n - 1; i > 0; i--) {
    const element = elements + i * ELEMENT_BYTES;
    if (compareRows(order, key, rowOf(element - ELEMENT_BYTES), rowOf(element)) === 0) markEqual(element);
  }
}

function insertionSort(elements: usize, n: usize, key: usize, order: usize): void {
  const end = elements + n * ELEMENT_BYTES;
  for (let p = elements + ELEMENT_BYTES; p < end; p += ELEMENT_BYTES) {
    const element = v128.load(p);
    const row = rowOf(p);
    let hole = p;
    while (hole > elements && compareRows(order, key, rowOf(hole - ELEMENT_BYTES), row) > 0) {
      v128.store(hole, v128.load(hole - ELEMENT_BYTES));
      hole -= ELEMENT_BYTES;
    }
    v128.store(hole, element);
  }
}

function merge(
  from: usize,
  to: usize,
  begin: usize,
  middle: usize,
  end: usize,
  key: usize,
  order: usize,
): void {
  let a = begin;
  let b = middle;
  for (let at = begin; at < end; at++) {
    const left = from + a * ELEMENT_BYTES;
    const right = from + b * ELEMENT_BYTES;
    const takesLeft = b >= end || (a < middle && compareRows(order, key, rowOf(left), rowOf(right)) <= 0);
    v128.store(to + at * ELEMENT_BYTES, v128.load(takesLeft ? left : right));
    if (takesLeft) a++;
    else b++;
  }
}
