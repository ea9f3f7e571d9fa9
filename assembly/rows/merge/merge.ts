// Merges sorted runs of rows by the words of their keys, with a tree of losers: D. Knuth, "The art of computer
// programming", vol. 3, 5.4.1. Rows with equal keys come in the order of their runs.

import { advance, nextKey, nextStage } from "../advance";
import { compareAfterWord, compareBytes, compareContents, isSame } from "../compare";
import { hashOf } from "../move";
import {
  BYTES,
  beginField,
  beginOffset,
  comparisonOf,
  contentEnd,
  ENDS_WITH_ROW,
  endingOf,
  flipOf,
  hasQuotes,
  hasStringWords,
  invalidOf,
  isRequired,
  keyAt,
  keysEnd,
  marksEqual,
  NONE,
  nextRow,
  rowBegin,
  skipsBlanksAtBegin,
  tableOf,
  textOf,
} from "../order";
import { MORE_BYTES } from "../string_words";
import { checkAllKeys, tallyKey } from "../tally";
import { cursorAfter, endAfter, firstWordAt, hasMore, MARK, nextWordAt } from "../words";
import { RUN_BYTES } from "./cuts";
import {
  copyChecked,
  hashesRows,
  inversionsAtEnd,
  numbersOf,
  outEndOf,
  outOf,
  reportNeighbours,
  reportWritten,
  rowBefore,
  writeRowNumber,
} from "./part";
import { mergeWholeRows } from "./whole_rows";

// A leaf of the tree: the first word of the next row, the second one, the row's number, the one after the last
// row of the part, where the key goes on after the first word, whether a key that is no string does, whether
// the second word is there, and where a key ends that is a string.
const LEAF_BYTES: usize = 40;
const SECOND: usize = 8;
const ROW: usize = 16;
const END: usize = 20;
const CURSOR: usize = 24;
const MORE: usize = 28;
const HAS_SECOND: usize = 32;
const KEY_END: usize = 36;

/** After this many rows of one run, its next words are compared with the least of the others, without the tree. */
const STREAK_ROWS: u32 = 4;

/** What the merge of this thread is about. */
let mergedOrder: usize = 0;
let mergedKey: usize = 0;
let mergeReport: usize = 0;
let checksFirst: bool = false;
let checksMore: bool = false;
/** Whether the first key is a string whose bytes stand for themselves. */
let isString: bool = false;

/** Takes row number `row` as the next one of a leaf, and counts what its keys hold. @returns its word. */
function takeRow(leaf: usize, row: u32): u64 {
  if (row === load<u32>(leaf, END)) {
    store<u32>(leaf, row, ROW);
    store<u64>(leaf, -1);
    return -1;
  }
  const word = readRow(leaf, row);
  if (checksFirst) tallyKey(mergeReport, mergedOrder, mergedKey, 0, row);
  if (checksMore) checkAllKeys(row, 1, 1, mergeReport, mergedOrder);
  return word;
}

/** Stores what a leaf holds of row number `row`. @returns its word. */
function readRow(leaf: usize, row: u32): u64 {
  store<u32>(leaf, row, ROW);
  const order = mergedOrder;
  const begin = rowBegin(order, row);
  const next = nextRow(order, row);
  const word = firstWordAt(order, mergedKey, begin, contentEnd(order, begin, next));
  store<u64>(leaf, word);
  store<u32>(leaf, cursorAfter, CURSOR);
  store<u32>(leaf, <u32>hasMore, MORE);
  store<u32>(leaf, 0, HAS_SECOND);
  store<u32>(leaf, <u32>endAfter, KEY_END);
  return word;
}

/** The word of a leaf's row after the first one. `advance` has said where it is. */
function secondWord(leaf: usize): u64 {
  if (load<u32>(leaf, HAS_SECOND) !== 0) return load<u64>(leaf, SECOND);
  const order = mergedOrder;
  const begin = rowBegin(order, load<u32>(leaf, ROW));
  const end = contentEnd(order, begin, nextRow(order, load<u32>(leaf, ROW)));
  const key = keyAt(order, nextKey);
  const word =
    nextStage === 0
      ? firstWordAt(order, key, begin, end)
      : nextWordAt(order, key, begin, end, nextStage, load<u32>(leaf, CURSOR));
  store<u64>(leaf, word, SECOND);
  store<u32>(leaf, 1, HAS_SECOND);
  return word;
}

/** Compares the rows of two leaves, which have the same first word. */
function compareTied(a: usize, b: usize): i32 {
  const order = mergedOrder;
  const flip = flipOf(mergedKey);
  const cursor = load<u32>(a, CURSOR);
  const other = load<u32>(b, CURSOR);
  const goesOn = ((load<u64>(a) ^ flip) & 0xff) === MORE_BYTES;
  if (isString && goesOn && ((cursor | other) & MARK) === 0) {
    const text = textOf(order);
    const compared = compareRest(text + cursor, load<u32>(a, KEY_END), text + other, load<u32>(b, KEY_END));
    if (compared !== 0) return flip !== 0 ? -compared : compared;
    return compareFurtherKeys(a, b);
  }
  return compareByWords(a, b);
}

/** Compares bytes of which few are equal. */
function compareRest(a: usize, aEnd: usize, b: usize, bEnd: usize): i32 {
  if (a + 8 <= aEnd && b + 8 <= bEnd) {
    const x = load<u64>(a);
    const y = load<u64>(b);
    if (x !== y) return bswap<u64>(x) < bswap<u64>(y) ? -1 : 1;
  }
  return compareBytes(a, aEnd, b, bEnd);
}

/** Compares the rows of two leaves from the second key on. */
function compareFurtherKeys(a: usize, b: usize): i32 {
  const order = mergedOrder;
  const key = keyAt(order, 1);
  if (key >= keysEnd(order)) return 0;
  const aBegin = rowBegin(order, load<u32>(a, ROW));
  const bBegin = rowBegin(order, load<u32>(b, ROW));
  const aEnd = contentEnd(order, aBegin, nextRow(order, load<u32>(a, ROW)));
  const bEnd = contentEnd(order, bBegin, nextRow(order, load<u32>(b, ROW)));
  return compareContents(order, key, aBegin, aEnd, bBegin, bEnd);
}

function compareByWords(a: usize, b: usize): i32 {
  const order = mergedOrder;
  const aBegin = rowBegin(order, load<u32>(a, ROW));
  const bBegin = rowBegin(order, load<u32>(b, ROW));
  const aNext = nextRow(order, load<u32>(a, ROW));
  const bNext = nextRow(order, load<u32>(b, ROW));
  if (isSame(aBegin, aNext, bBegin, bNext)) return 0;
  const more = (load<u32>(a, MORE) | load<u32>(b, MORE)) !== 0;
  const word = load<u64>(a);
  if (!advance(order, 0, 0, word, more)) return 0;
  if (!more) {
    const number = nextKey;
    const stage = nextStage;
    const second = secondWord(a);
    const other = secondWord(b);
    if (second !== other) return second < other ? -1 : 1;
    // A string says in its word whether it goes on.
    if (hasStringWords(keyAt(order, number)) && !advance(order, number, stage, second, false)) return 0;
  }
  const aEnd = contentEnd(order, aBegin, aNext);
  return compareAfterWord(order, word, more, aBegin, aEnd, bBegin, contentEnd(order, bBegin, bNext));
}

/** Whether the next row of leaf `a` comes before that of leaf `b`. */
function isBefore(leaves: usize, a: u32, b: u32): bool {
  const left = leaves + <usize>a * LEAF_BYTES;
  const right = leaves + <usize>b * LEAF_BYTES;
  const word = load<u64>(left);
  const other = load<u64>(right);
  if (word !== other) return word < other;
  if (load<u32>(left, ROW) === load<u32>(left, END)) return false; // its word is the largest one
  if (load<u32>(right, ROW) === load<u32>(right, END)) return true;
  const compared = compareTied(left, right);
  return compared < 0 || (compared === 0 && a < b);
}

/** The least word of the losers against `winner`: no other run has a lesser one next. */
function leastLoser(leaves: usize, losers: usize, winner: u32, n: u32): u64 {
  let least: u64 = -1;
  for (let node = (winner + n) >> 1; node > 0; node >>= 1) {
    least = min<u64>(least, load<u64>(leaves + <usize>load<u32>(losers + (node << 2)) * LEAF_BYTES));
  }
  return least;
}

/**
 * Writes a part of the rows of `n` runs in their order, or their numbers. Checks the keys that must be numbers
 * or must be there, that each row comes after the one before it, or is equal to it, and each copy; if the order
 * asks for it, equal rows are left out.
 *
 * @param cuts how many rows of each run come before the part, as u32, then how many end with it.
 * @param state 288 bytes for each run and 1024 more, aligned to 8.
 * @param most the most rows to write.
 * @param checked whether the keys from the second on are to be counted.
 */
export function mergeRuns(
  runs: usize,
  n: u32,
  cuts: usize,
  part: usize,
  state: usize,
  most: u32,
  checked: bool,
  report: usize,
  order: usize,
): void {
  const key = keyAt(order, 0);
  const isFirst = beginField(key) === 0 && beginOffset(key) === 0 && !skipsBlanksAtBegin(key);
  isString = comparisonOf(key) === BYTES && tableOf(key) === 0;
  if (isString && isFirst && endingOf(key) === ENDS_WITH_ROW && !hasQuotes(order) && !checked) {
    mergeWholeRows(runs, n, cuts, part, state, most, report, order);
    return;
  }
  const out = outOf(part);
  const outEnd = outEndOf(part);
  const numbers = numbersOf(part);
  const hashed = hashesRows(part);
  const before = rowBefore(part);
  const ends = cuts + ((<usize>n) << 2);
  const leaves = state;
  // What is known of the row that was written last is kept like that of the next row of a run.
  const previous = leaves + <usize>n * LEAF_BYTES;
  const losers = previous + LEAF_BYTES;
  const unique = marksEqual(order);
  mergedOrder = order;
  mergedKey = key;
  mergeReport = report;
  checksFirst = isRequired(key) || invalidOf(key) !== 0;
  checksMore = checked;
  memory.fill(losers, 0xff, (<usize>n) << 2);
  let winner: u32 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const first = load<u32>(runs + <usize>i * RUN_BYTES);
    const leaf = leaves + <usize>i * LEAF_BYTES;
    store<u32>(leaf, first + load<u32>(ends + (i << 2)), END);
    takeRow(leaf, first + load<u32>(cuts + (i << 2)));
    winner = i;
    for (let node = (i + n) >> 1; node > 0; node >>= 1) {
      const loser = load<u32>(losers + (node << 2));
      if (loser === NONE) {
        store<u32>(losers + (node << 2), winner);
        break;
      }
      if (!isBefore(leaves, loser, winner)) continue;
      store<u32>(losers + (node << 2), winner);
      winner = loser;
    }
  }
  store<u32>(previous, before + 1, END);
  let previousWord = before === NONE ? 0 : readRow(previous, before);
  let hasPrevious = before !== NONE;
  let written: u32 = 0;
  let inversions: u32 = 0;
  let equalRows: u32 = 0;
  let equalBytes: u32 = 0;
  let changed: u32 = 0;
  let hashes: u64 = 0;
  let to = out;
  // The winner stays ahead while its words are less than this one.
  let bound: u64 = 0;
  let streak: u32 = 0;
  while (written < most) {
    const leaf = leaves + <usize>winner * LEAF_BYTES;
    const row = load<u32>(leaf, ROW);
    if (row === load<u32>(leaf, END)) break;
    const begin = rowBegin(order, row);
    const length = nextRow(order, row) - begin;
    const outLength = numbers === 0 ? length : 4;
    if (hashed) hashes += hashOf(begin, begin + length);
    let word = load<u64>(leaf);
    let isEqual = false;
    if (word <= previousWord && hasPrevious) {
      const compared = word < previousWord ? 1 : compareTied(previous, leaf);
      inversions += <u32>(compared > 0);
      isEqual = unique && compared === 0;
    }
    if (isEqual) {
      equalRows++;
      equalBytes += <u32>outLength;
    } else {
      changed += <u32>(
        !(numbers === 0 ? copyChecked(to, begin, length, outEnd) : writeRowNumber(to, numbers, row))
      );
      to += outLength;
      written++;
      hasPrevious = true;
      previousWord = word;
      v128.store(previous, v128.load(leaf));
      v128.store(previous, v128.load(leaf, 16), 16);
      store<u64>(previous, load<u64>(leaf, HAS_SECOND), HAS_SECOND);
    }
    word = takeRow(leaf, row + 1);
    if (word < bound) continue;
    const ahead = winner;
    for (let node = (winner + n) >> 1; node > 0; node >>= 1) {
      const loser = load<u32>(losers + (node << 2));
      const other = load<u64>(leaves + <usize>loser * LEAF_BYTES);
      let loses = other < word;
      if (other === word) loses = isBefore(leaves, loser, winner);
      // Without a branch, as nobody can predict which of two inputs goes on.
      store<u32>(losers + (node << 2), select<u32>(winner, loser, loses));
      winner = select<u32>(loser, winner, loses);
      word = select<u64>(other, word, loses);
    }
    streak = winner === ahead ? streak + 1 : 0;
    bound = streak >= STREAK_ROWS ? leastLoser(leaves, losers, winner, n) : 0;
  }
  const lastWritten = hasPrevious ? load<u32>(previous, ROW) : NONE;
  inversions += inversionsAtEnd(part, lastWritten, written < most, order);
  reportWritten(report, written, to - out, changed, hashes);
  reportNeighbours(report, inversions, equalRows, equalBytes);
}
