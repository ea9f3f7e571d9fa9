// Keys that are compared by a string which is derived from them. A cursor tells where the key goes on after a word
// only where that is between two bytes; else the word is made from the begin of the key on. Two keys are compared
// from the first byte on in which they differ.

import { commonBytes } from "./common_bytes";
import { isQuoted, keyBegin, keyEnd, keyEndFrom } from "./fields";
import { foldedState, foldedWord, isPlain } from "./folded";
import { IN_DIGITS, leavesOut, naturalState, naturalWord, STATE_BITS, STATE_MASK, suffixOf } from "./natural";
import { Key, NATURAL, Order } from "./order";
import { MORE_BYTES, WORD_BYTES } from "./string_words";

/**
 * In a cursor: pairs of digits are next, in natural order; or, of text without case, the word is made from the begin
 * of the key on.
 */
const MARK: u32 = 1 << 31;

/** The cursor after the last word. */
export let derivedCursor: u32 = 0;

/** The word of a key after `stage` ones, the last of which left a cursor. */
export function derivedWord(order: Order, key: Key, begin: usize, end: usize, stage: u32, cursor: u32): u64 {
  const isNatural = key.comparison === NATURAL;
  const word = isNatural
    ? naturalWordOf(order, key, begin, end, stage, cursor)
    : foldedWordOf(order, key, begin, end, stage, cursor);
  return word ^ key.flip;
}

function naturalWordOf(order: Order, key: Key, begin: usize, end: usize, stage: u32, cursor: u32): u64 {
  const table = key.table;
  const from = keyBegin(order, key, begin, end);
  const quoted = isQuoted;
  const to = keyEnd(order, key, begin, end, from);
  const suffix = suffixOf(from, to, table);
  const at = order.text + (cursor & ~MARK);
  let state: u64 = 0;
  if (stage > 0 && at > from) {
    state = ((<u64>(at - from)) << STATE_BITS) | ((cursor & MARK) !== 0 ? IN_DIGITS : 0);
    stage = 0;
  }
  let word: u64;
  for (;;) {
    word = naturalWord(from, to, quoted, table, suffix, state);
    state = naturalState;
    if (stage === 0) break;
    stage--;
  }
  const done = <u32>(state & STATE_MASK);
  derivedCursor = <u32>(from - order.text);
  if (done === 0 || done === IN_DIGITS) {
    derivedCursor += <u32>(state >> STATE_BITS);
    if (done === IN_DIGITS) derivedCursor |= MARK;
  }
  return word;
}

function foldedWordOf(order: Order, key: Key, begin: usize, end: usize, stage: u32, cursor: u32): u64 {
  const text = order.text;
  const table = key.table;
  if (stage > 0 && (cursor & MARK) === 0) {
    const at = text + cursor;
    const to = keyEndFrom(order, key, begin, end, at, false, WORD_BYTES + 1);
    const word = foldedWord(at, to, false, table, 0);
    if (isPlain) {
      derivedCursor = cursor + WORD_BYTES;
      return word;
    }
  }
  const from = keyBegin(order, key, begin, end);
  const quoted = isQuoted;
  const to = keyEnd(order, key, begin, end, from);
  let isMarked = quoted;
  let word: u64 = 0;
  let state: u64 = 0;
  for (let i: u32 = 0; i <= stage; i++) {
    word = foldedWord(from, to, quoted, table, state);
    state = foldedState;
    isMarked = isMarked || !isPlain;
  }
  derivedCursor = <u32>(from - text) + (isMarked ? 0 : (stage + 1) * WORD_BYTES);
  if (isMarked) derivedCursor |= MARK;
  return word;
}

/** Compares the keys of two rows. @returns a negative number, 0, or a positive one. */
export function compareDerived(
  order: Order,
  key: Key,
  aBegin: usize,
  aEnd: usize,
  bBegin: usize,
  bEnd: usize,
): i32 {
  const isNatural = key.comparison === NATURAL;
  const table = key.table;
  const a = keyBegin(order, key, aBegin, aEnd);
  const aQuoted = isQuoted;
  const aTo = keyEnd(order, key, aBegin, aEnd, a);
  const b = keyBegin(order, key, bBegin, bEnd);
  const bQuoted = isQuoted;
  const bTo = keyEnd(order, key, bBegin, bEnd, b);
  const aSuffix = isNatural ? suffixOf(a, aTo, table) : 0;
  const bSuffix = isNatural ? suffixOf(b, bTo, table) : 0;
  let both: usize = 0;
  if (!aQuoted && !bQuoted && !(isNatural && leavesOut(table))) {
    both = isNatural
      ? commonParts(a, b, min(aSuffix - a, bSuffix - b))
      : commonCharacters(a, b, min(aTo - a, bTo - b));
  }
  let aState = (<u64>both) << STATE_BITS;
  let bState = aState;
  let word: u64;
  let other: u64;
  do {
    if (isNatural) {
      word = naturalWord(a, aTo, aQuoted, table, aSuffix, aState);
      aState = naturalState;
      other = naturalWord(b, bTo, bQuoted, table, bSuffix, bState);
      bState = naturalState;
    } else {
      word = foldedWord(a, aTo, aQuoted, table, aState);
      aState = foldedState;
      other = foldedWord(b, bTo, bQuoted, table, bState);
      bState = foldedState;
    }
  } while (word === other && (word & 0xff) === MORE_BYTES);
  if (word === other) return 0;
  return word < other === (key.flip === 0) ? -1 : 1;
}

/** The most bytes of a string that say that a name begins with points. */
const MOST_POINTS: usize = 2;

/** How many bytes two names have in common, without a number at their end, and without points at their begin. */
function commonParts(a: usize, b: usize, most: usize): usize {
  let both = commonBytes(a, b, most);
  while (both > 0 && <u32>load<u8>(a + both - 1) - 48 < 10) both--;
  return both > MOST_POINTS ? both : 0;
}

/** How many bytes two texts have in common, up to one of ASCII. */
function commonCharacters(a: usize, b: usize, most: usize): usize {
  let both = commonBytes(a, b, most);
  while (both > 0 && load<u8>(a + both - 1) >= 0x80) both--;
  return both;
}
