// Sorts rows further whose words are equal: few by comparisons, many by their next word. A multikey radix sort
// of strings by words; J. Bentley and R. Sedgewick, "Fast algorithms for sorting and searching strings", SODA
// 1997, divide by single bytes.

import { Job } from "../job";
import { sortRange } from "../radix";
import { advance, nextKey, nextStage } from "./advance";
import { CACHE_MISS_BYTES, charge, isBudgetUsedUp, startBudget } from "./budget";
import { beginSort, continueSort, FEW } from "./comparison_sort";
import { ELEMENT_BYTES, fillHasMore, fillWords, markAllEqual, rowOf, wordOf } from "./elements";
import { BYTES, ENDS_ELSEWHERE, Order } from "./order";
import { Pending } from "./pending";
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
let rowOrder: Order = changetype<Order>(0);
let sortJob: Job = changetype<Job>(0);
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
  pending: Pending,
  report: usize,
  order: Order,
  job: Job,
  tables: usize,
): void {
  away = scratch - elements;
  findings = ignored;
  rowOrder = order;
  sortJob = job;
  countTables = tables;
  startBudget();
  if (pending.isEmpty) pending.push(elements, elements + n * ELEMENT_BYTES, 0, 0, number, stage, more);
  while (!pending.isEmpty) {
    if (isBudgetUsedUp()) {
      store<u32>(report, 1, UNFINISHED);
      return;
    }
    if (pending.compares === 0) refineNext(pending);
    else if (continueSort(pending.sort, away, order)) pending.compares = 0;
  }
}

function groupEnd(from: usize, end: usize): usize {
  const word = wordOf(from);
  let to = from + ELEMENT_BYTES;
  while (to < end && wordOf(to) === word) to += ELEMENT_BYTES;
  return to;
}

/** Sorts the next group of the last range, or begins to. */
function refineNext(pending: Pending): void {
  const range = pending.last;
  const number = range.number;
  const stage = range.stage;
  const more = range.more !== 0;
  const largest = range.largest;
  const end = range.end;
  for (let from = range.from; from < end; ) {
    if (from === largest) {
      from = range.largestEnd;
      continue;
    }
    const to = groupEnd(from, end);
    if (to - from > ELEMENT_BYTES) {
      if (to === end && largest === 0) pending.pop();
      else range.from = to;
      refineGroup(pending, from, to, number, stage, more);
      return;
    }
    from = to;
  }
  const largestEnd = range.largestEnd;
  pending.pop();
  if (largest !== 0) refineGroup(pending, largest, largestEnd, number, stage, more);
}

/** Sorts elements with equal words by the next words that differ; groups among them are left to be sorted. */
function refineGroup(pending: Pending, from: usize, end: usize, number: u32, stage: u32, more: bool): void {
  const n = (end - from) / ELEMENT_BYTES;
  let differing: u64 = 0;
  while (differing === 0) {
    if (isBudgetUsedUp()) {
      pending.push(from, end, 0, 0, number, stage, more);
      return;
    }
    if (!advance(rowOrder, number, stage, wordOf(from), more)) {
      if (rowOrder.marksEqual) markAllEqual(from, n);
      return;
    }
    number = nextKey;
    stage = nextStage;
    const key = rowOrder.keyAt(number);
    const isOfBytes = key.comparison === BYTES || isMisfitStage(stage);
    const looksAnew = wordsBefore(stage) !== 0 && (key.ending === ENDS_ELSEWHERE || !isOfBytes);
    const bytes = looksAnew ? bytesOf(from, n) : 0;
    if (n <= FEW || (looksAnew && (wordsBefore(stage) >= MOST_WORDS || bytes > n * LONG))) {
      beginSort(pending.sort, from, n, number);
      pending.compares = 1;
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
    bytes += rowOrder.nextRow(row) - rowOrder.rowBegin(row);
  }
  return bytes;
}

/** Leaves the groups of equal words to be sorted. */
function pushGroups(pending: Pending, from: usize, end: usize, number: u32, stage: u32, more: bool): void {
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
  if (largest !== 0) pending.push(from, end, largest, largestEnd, number, stage, more);
}
