// What a call leaves to be sorted, so that it may end early and another one goes on: ranges of elements in the
// order of words, as a stack, and a sort by comparisons that has begun. src/rows/workspace.ts knows the size.

import { beginSort, SORT_BYTES } from "./comparison_sort";

/** The number of ranges. */
const DEPTH: usize = 0;
/** Whether a sort by comparisons has begun, which comes before the ranges. */
const COMPARES: usize = 4;
const SORT: usize = 8;
const RANGES: usize = SORT + SORT_BYTES;
const RANGE_BYTES: usize = 28;

// A range of elements in the order of words, of which equal ones are to be sorted further.
/** The first element that is not sorted yet, and the end of all. */
const FROM: usize = 0;
const END: usize = 4;
/**
 * The largest group of equal words, which comes last; 0 for none. Any other group has at most half of the
 * elements, so the stack has hardly more ranges than the number of elements has bits.
 */
const LARGEST: usize = 8;
const LARGEST_END: usize = 12;
/** The key that the words are of, how many words of it came before, and whether it goes on. */
const NUMBER: usize = 16;
const STAGE: usize = 20;
const MORE: usize = 24;

export function isEmpty(pending: usize): bool {
  return load<u32>(pending, DEPTH) === 0 && load<u32>(pending, COMPARES) === 0;
}

/** The sort by comparisons that has begun; 0 if there is none. */
export function sortOf(pending: usize): usize {
  return load<u32>(pending, COMPARES) !== 0 ? pending + SORT : 0;
}

/** Begins a sort by comparisons, from key number `number` on. */
export function compareNext(pending: usize, elements: usize, n: usize, number: u32): void {
  beginSort(pending + SORT, elements, n, number);
  store<u32>(pending, 1, COMPARES);
}

export function endSort(pending: usize): void {
  store<u32>(pending, 0, COMPARES);
}

export function pushRange(
  pending: usize,
  from: usize,
  end: usize,
  largest: usize,
  largestEnd: usize,
  number: u32,
  stage: u32,
  more: bool,
): void {
  const depth = load<u32>(pending, DEPTH) + 1;
  store<u32>(pending, depth, DEPTH);
  const range = lastRange(pending);
  store<u32>(range, <u32>from, FROM);
  store<u32>(range, <u32>end, END);
  store<u32>(range, <u32>largest, LARGEST);
  store<u32>(range, <u32>largestEnd, LARGEST_END);
  store<u32>(range, number, NUMBER);
  store<u32>(range, stage, STAGE);
  store<u32>(range, <u32>more, MORE);
}

/** The last range that was pushed. */
export function lastRange(pending: usize): usize {
  return pending + RANGES + (<usize>load<u32>(pending, DEPTH) - 1) * RANGE_BYTES;
}

export function popRange(pending: usize): void {
  store<u32>(pending, load<u32>(pending, DEPTH) - 1, DEPTH);
}

export function fromOf(range: usize): usize {
  return load<u32>(range, FROM);
}
export function moveFrom(range: usize, from: usize): void {
  store<u32>(range, <u32>from, FROM);
}
export function endOfRange(range: usize): usize {
  return load<u32>(range, END);
}
export function largestOf(range: usize): usize {
  return load<u32>(range, LARGEST);
}
export function largestEndOf(range: usize): usize {
  return load<u32>(range, LARGEST_END);
}
export function keyNumberOf(range: usize): u32 {
  return load<u32>(range, NUMBER);
}
export function stageOf(range: usize): u32 {
  return load<u32>(range, STAGE);
}
export function rangeGoesOn(range: usize): bool {
  return load<u32>(range, MORE) !== 0;
}
