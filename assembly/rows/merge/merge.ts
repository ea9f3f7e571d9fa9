// Merges sorted runs of rows by the words of their keys, with a tree of losers: D. Knuth, "The art of computer
// programming", vol. 3, 5.4.1. Rows with equal keys come in the order of their runs.

import { advance, nextKey, nextStage } from "../advance";
import { compareAfterWord, compareBytes, compareContents, isSame } from "../compare";
import { hashOf } from "../move";
import { BYTES, ENDS_WITH_ROW, Key, NONE, Order } from "../order";
import { MORE_BYTES } from "../string_words";
import { checkAllKeys, tallyKey } from "../tally";
import { cursorAfter, endAfter, firstWordAt, hasMore, MARK, nextWordAt } from "../words";
import { RUN_BYTES } from "./cuts";
import { copyChecked, inversionsAtEnd, Part, reportNeighbours, reportWritten, writeRowNumber } from "./part";
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
let mergedOrder: Order = changetype<Order>(0);
let mergedKey: Key = changetype<Key>(0);
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
  const begin = order.rowBegin(row);
  const next = order.nextRow(row);
  const word = firstWordAt(order, mergedKey, begin, order.contentEnd(begin, next));
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
  const begin = order.rowBegin(load<u32>(leaf, ROW));
  const end = order.contentEnd(begin, order.nextRow(load<u32>(leaf, ROW)));
  const key = order.keyAt(nextKey);
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
  const flip = mergedKey.flip;
  const cursor = load<u32>(a, CURSOR);
  const other = load<u32>(b, CURSOR);
  const goesOn = ((load<u64>(a) ^ flip) & 0xff) === MORE_BYTES;
  if (isString && goesOn && ((cursor | other) & MARK) === 0) {
    const text = order.text;
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
  if (order.keyCount < 2) return 0;
  const aBegin = order.rowBegin(load<u32>(a, ROW));
  const bBegin = order.rowBegin(load<u32>(b, ROW));
  const aEnd = order.contentEnd(aBegin, order.nextRow(load<u32>(a, ROW)));
  const bEnd = order.contentEnd(bBegin, order.nextRow(load<u32>(b, ROW)));
  return compareContents(order, order.keyAt(1), aBegin, aEnd, bBegin, bEnd);
}

function compareByWords(a: usize, b: usize): i32 {
  const order = mergedOrder;
  const aBegin = order.rowBegin(load<u32>(a, ROW));
  const bBegin = order.rowBegin(load<u32>(b, ROW));
  const aNext = order.nextRow(load<u32>(a, ROW));
  const bNext = order.nextRow(load<u32>(b, ROW));
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
    if (order.keyAt(number).hasStringWords && !advance(order, number, stage, second, false)) return 0;
  }
  const aEnd = order.contentEnd(aBegin, aNext);
  return compareAfterWord(order, word, more, aBegin, aEnd, bBegin, order.contentEnd(bBegin, bNext));
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
  part: Part,
  state: usize,
  most: u32,
  checked: bool,
  report: usize,
  order: Order,
): void {
  const key = order.keyAt(0);
  const isFirst = key.beginField === 0 && key.beginOffset === 0 && !key.skipsBlanksAtBegin;
  isString = key.comparison === BYTES && key.table === 0;
  if (isString && isFirst && key.ending === ENDS_WITH_ROW && !order.hasQuotes && !checked) {
    mergeWholeRows(runs, n, cuts, part, state, most, report, order);
    return;
  }
  const out = part.out;
  const outEnd = part.outEnd;
  const numbers = part.numbers;
  const hashed = part.hashesRows;
  const before = part.before;
  const ends = cuts + ((<usize>n) << 2);
  const leaves = state;
  // What is known of the row that was written last is kept like that of the next row of a run.
  const previous = leaves + <usize>n * LEAF_BYTES;
  const losers = previous + LEAF_BYTES;
  const unique = order.marksEqual;
  mergedOrder = order;
  mergedKey = key;
  mergeReport = report;
  checksFirst = key.isRequired || key.invalid !== 0;
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
    const begin = order.rowBegin(row);
    const length = order.nextRow(row) - begin;
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
