// What is sorted in the place of a row: a word of its key, the row's number, and a position in the text: where
// the key goes on after the word (see words.ts). Rows with equal words are sorted by further words.

import { inspect } from "../inspect";
import { Job } from "../job";
import { codedWord } from "./coding";
import { Order } from "./order";
import { keepReads, PREFETCHED_ROWS } from "./prefetch";
import { tallyKey } from "./tally";
import { cursorAfter, firstWord, hasMore, nextWord } from "./words";

export const ELEMENT_BYTES: usize = 16;
const ROW: usize = 8;
const CURSOR: usize = 12;

/** The cursor of a row whose keys are equal to those of the row before it. */
const EQUAL: u32 = 0xffffffff;

/** The position in a cursor: see words.ts. */
const POSITION: u32 = 0x7fffffff;

/** Elements that are made, and inspected while they are in the cache. */
const BLOCK: usize = 1024;

// What a kernel reports besides the findings of an inspection, and besides what tally.ts reports.
const MORE: usize = 0; // u32, whether a key goes on although its word does not say so

export function wordOf(element: usize): u64 {
  return load<u64>(element);
}
export function rowOf(element: usize): u32 {
  return load<u32>(element, ROW);
}
export function markEqual(element: usize): void {
  store<u32>(element, EQUAL, CURSOR);
}
export function isEqualToLast(element: usize): bool {
  return load<u32>(element, CURSOR) === EQUAL;
}

/**
 * Makes the elements of `n` rows from number `row` on, by the first word of the first key, and counts what the
 * keys hold.
 *
 * @param coded whether the words are coded (see coding.ts).
 * @param findings those of the inspection, or 0 for none; `report` what else is reported.
 */
export function makeElements(
  elements: usize,
  row: u32,
  n: usize,
  coded: bool,
  findings: usize,
  report: usize,
  order: Order,
  job: Job,
): void {
  const first = order.keyAt(0);
  const checked = first.isRequired || first.invalid !== 0;
  let more = false;
  for (let at: usize = 0; at < n; at += BLOCK) {
    const some = min<usize>(BLOCK, n - at);
    const to = elements + at * ELEMENT_BYTES;
    for (let i: usize = 0; i < some; i++) {
      const own = row + <u32>(at + i);
      const element = to + i * ELEMENT_BYTES;
      store<u64>(element, coded ? codedWord(order, first, own) : firstWord(order, first, own));
      store<u32>(element, own, ROW);
      store<u32>(element, cursorAfter, CURSOR);
      more = more || hasMore;
      if (checked) tallyKey(report, order, first, 0, own);
    }
    if (findings !== 0) inspect<v128>(to, some, findings, job);
  }
  if (more) store<u32>(report, 1, MORE);
}

/** Brings the next rows of elements into the cache, where their keys go on or where they begin. */
function prefetchKeys(elements: usize, n: usize, goesOn: bool, order: Order): void {
  const text = order.text;
  const end = elements + n * ELEMENT_BYTES;
  let sum: u32 = 0;
  for (let element = elements; element < end; element += ELEMENT_BYTES) {
    const begin = order.rowBegin(rowOf(element));
    const at = goesOn ? text + (load<u32>(element, CURSOR) & POSITION) : begin;
    sum += load<u8>(at);
  }
  keepReads(sum);
}

/** Whether a key goes on after the words that `fillWords` made last. */
export let fillHasMore: bool = false;

/**
 * Gives elements the word of a key, by its number and how many words came before it.
 *
 * @returns the bits in which the words differ.
 */
export function fillWords(elements: usize, n: usize, number: u32, stage: u32, order: Order): u64 {
  const key = order.keyAt(number);
  let differing: u64 = 0;
  let first: u64 = 0;
  fillHasMore = false;
  const end = elements + n * ELEMENT_BYTES;
  let ahead = elements;
  for (let element = elements; element < end; element += ELEMENT_BYTES) {
    if (element === ahead) {
      const some = min<usize>(PREFETCHED_ROWS, (end - ahead) / ELEMENT_BYTES);
      prefetchKeys(ahead, some, stage > 0, order);
      ahead += some * ELEMENT_BYTES;
    }
    const row = rowOf(element);
    const word =
      stage === 0 ? firstWord(order, key, row) : nextWord(order, key, row, stage, load<u32>(element, CURSOR));
    store<u64>(element, word);
    store<u32>(element, cursorAfter, CURSOR);
    fillHasMore = fillHasMore || hasMore;
    if (element === elements) first = word;
    differing |= word ^ first;
  }
  return differing;
}

/** As `fillWords`, for elements that threads sort together. */
export function nextElements(
  elements: usize,
  n: usize,
  number: u32,
  stage: u32,
  findings: usize,
  report: usize,
  order: Order,
  job: Job,
): void {
  for (let at: usize = 0; at < n; at += BLOCK) {
    const some = min<usize>(BLOCK, n - at);
    const to = elements + at * ELEMENT_BYTES;
    fillWords(to, some, number, stage, order);
    if (fillHasMore) store<u32>(report, 1, MORE);
    inspect<v128>(to, some, findings, job);
  }
}

/**
 * Copies the elements whose words are not above a bound, in their order. Reports how many these are, as u32.
 */
export function selectElements(
  elements: usize,
  n: usize,
  boundHigh: u32,
  boundLow: u32,
  to: usize,
  report: usize,
): void {
  const bound = ((<u64>boundHigh) << 32) | boundLow;
  const end = elements + n * ELEMENT_BYTES;
  let next = to;
  for (let element = elements; element < end; element += ELEMENT_BYTES) {
    if (wordOf(element) > bound) continue;
    v128.store(next, v128.load(element));
    next += ELEMENT_BYTES;
  }
  store<u32>(report, <u32>((next - to) / ELEMENT_BYTES));
}

/** Marks all of these elements but the first one as equal to the one before. */
export function markAllEqual(elements: usize, n: usize): void {
  for (let i: usize = 1; i < n; i++) markEqual(elements + i * ELEMENT_BYTES);
}
