// Sorts rows further whose words are equal: few by comparisons, many by their next word. A multikey radix sort
// of strings by words; J. Bentley and R. Sedgewick, "Fast algorithms for sorting and searching strings", SODA
// 1997, divide by single bytes.

import { sortRange } from "../radix";
import { advance, nextKey, nextStage } from "./advance";
import { CACHE_MISS_BYTES, charge, isBudgetUsedUp, startBudget } from "./budget";
import { continueSort, FEW } from "./comparison_sort";
import { ELEMENT_BYTES, fillHasMore, fillWords, markAllEqual, rowOf, wordOf } from "./elements";
import { BYTES, comparisonOf, ENDS_ELSEWHERE, endingOf, keyAt, marksEqual, nextRow, rowBegin } from "./order";
import {
  compareNext,
  endOfRange,
  endSort,
  fromOf,
  isEmpty,
  keyNumberOf,
  largestEndOf,
  largestOf,
  lastRange,
  moveFrom,
  popRange,
  pushRange,
  rangeGoesOn,
  sortOf,
  stageOf,
} from "./pending";
import { isMisfitStage, wordsBefore } from "./words";

/** Words of one key after which rows are compared, if each further word means to search for the key again. */
const MOST_WORDS: u32 = 8;
/** Such rows are compared after the first word if they have more bytes than this, on average. */
const LONG: usize = 1 << 12;

/** What is reported: whether elements are left to be sorted, as u32. */
const UNFINISHED: usize = 0;

// What a call sorts with.
let away: usize = 0;
let findings: usize = 0;
let rowOrder: usize = 0;
let sortJob: usize = 0;
let countTables: usize = 0;

/**
 * Sorts the elements of each group of equal words by what follows in their keys, and marks equal ones if the
 * order asks for it. It ends early where that takes long; then another call with the same arguments goes on.
 *
 * @param number the key that the words are of, from 0; `stage` how many words of it came before.
 * @param more whether a key goes on after such a word, unless it is a string.
 * @param scratch as many bytes as the elements take.
 * @param ignored the address of findings that nobody reads.
 * @param pending what is left to sort: all bytes are 0 before the first call.
 */
export function refine(
  elements: usize,
  n: usize,
  number: u32,
  stage: u32,
  more: bool,
  scratch: usize,
  ignored: usize,
  pending: usize,
  report: usize,
  order: usize,
  job: usize,
  tables: usize,
): void {
  away = scratch - elements;
  findings = ignored;
  rowOrder = order;
  sortJob = job;
  countTables = tables;
  startBudget();
  if (isEmpty(pending)) pushRange(pending, elements, elements + n * ELEMENT_BYTES, 0, 0, number, stage, more);
  while (!isEmpty(pending)) {
    if (isBudgetUsedUp()) {
      store<u32>(report, 1, UNFINISHED);
      return;
    }
    const sort = sortOf(pending);
    if (sort === 0) refineNext(pending);
    else if (continueSort(sort, away, order)) endSort(pending);
  }
}

function groupEnd(from: usize, end: usize): usize {
  const word = wordOf(from);
  let to = from + ELEMENT_BYTES;
  while (to < end && wordOf(to) === word) to += ELEMENT_BYTES;
  return to;
}

/** Sorts the next group of the last range, or begins to. */
function refineNext(pending: usize): void {
  const range = lastRange(pending);
  const number = keyNumberOf(range);
  const stage = stageOf(range);
  const more = rangeGoesOn(range);
  const largest = largestOf(range);
  const end = endOfRange(range);
  for (let from = fromOf(range); from < end; ) {
    if (from === largest) {
      from = largestEndOf(range);
      continue;
    }
    const to = groupEnd(from, end);
    if (to - from > ELEMENT_BYTES) {
      if (to === end && largest === 0) popRange(pending);
      else moveFrom(range, to);
      refineGroup(pending, from, to, number, stage, more);
      return;
    }
    from = to;
  }
  const largestEnd = largestEndOf(range);
  popRange(pending);
  if (largest !== 0) refineGroup(pending, largest, largestEnd, number, stage, more);
}

/** Sorts elements with equal words by the next words that differ; groups among them are left to be sorted. */
function refineGroup(pending: usize, from: usize, end: usize, number: u32, stage: u32, more: bool): void {
  const n = (end - from) / ELEMENT_BYTES;
  let differing: u64 = 0;
  while (differing === 0) {
    if (isBudgetUsedUp()) {
      pushRange(pending, from, end, 0, 0, number, stage, more);
      return;
    }
    if (!advance(rowOrder, number, stage, wordOf(from), more)) {
      if (marksEqual(rowOrder)) markAllEqual(from, n);
      return;
    }
    number = nextKey;
    stage = nextStage;
    const key = keyAt(rowOrder, number);
    const isOfBytes = comparisonOf(key) === BYTES || isMisfitStage(stage);
    const looksAnew = wordsBefore(stage) !== 0 && (endingOf(key) === ENDS_ELSEWHERE || !isOfBytes);
    const bytes = looksAnew ? bytesOf(from, n) : 0;
    if (n <= FEW || (looksAnew && (wordsBefore(stage) >= MOST_WORDS || bytes > n * LONG))) {
      compareNext(pending, from, n, number);
      return;
    }
    differing = fillWords(from, n, number, stage, rowOrder);
    more = fillHasMore;
    charge(n * CACHE_MISS_BYTES + bytes);
  }
  const bits: u32 = 64 - <u32>clz(differing);
  sortRange<v128>(from, from + away, n, bits, false, findings, sortJob, countTables);
  pushGroups(pending, from, end, number, stage, more);
}

/** Bytes of the rows of elements. */
function bytesOf(elements: usize, n: usize): usize {
  let bytes: usize = 0;
  for (let i: usize = 0; i < n; i++) {
    const row = rowOf(elements + i * ELEMENT_BYTES);
    bytes += nextRow(rowOrder, row) - rowBegin(rowOrder, row);
  }
  return bytes;
}

/** Leaves the groups of equal words to be sorted. */
function pushGroups(pending: usize, from: usize, end: usize, number: u32, stage: u32, more: bool): void {
  let largest: usize = 0;
  let largestEnd: usize = ELEMENT_BYTES; // groups of one are none
  for (let at = from; at < end; ) {
    const to = groupEnd(at, end);
    if (to - at > largestEnd - largest) {
      largest = at;
      largestEnd = to;
    }
    at = to;
  }
  if (largest !== 0) pushRange(pending, from, end, largest, largestEnd, number, stage, more);
}
