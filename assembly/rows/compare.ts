// Rows compared with each other, in time proportional to their lengths.

import { advance, nextKey, nextStage } from "./advance";
import { CACHE_MISS_BYTES, charge } from "./budget";
import { commonBytes } from "./common_bytes";
import { compareDerived } from "./derived";
import { isQuoted, keyBegin, keyEnd, QUOTE, skipBlanks } from "./fields";
import { BYTES, Key, Order } from "./order";
import { MORE_BYTES } from "./string_words";
import { cursorAfter, firstWordOf, hasMore, nextWordOf, stageAfterFirst } from "./words";

/** Compares two rows of the text, from a key on. @returns a negative number, 0, or a positive one. */
export function compareRows(order: Order, key: Key, a: u32, b: u32): i32 {
  const aBegin = order.rowBegin(a);
  const bBegin = order.rowBegin(b);
  const aEnd = order.contentEnd(aBegin, order.nextRow(a));
  const bEnd = order.contentEnd(bBegin, order.nextRow(b));
  charge(aEnd - aBegin + bEnd - bBegin + CACHE_MISS_BYTES);
  return compareContents(order, key, aBegin, aEnd, bBegin, bEnd);
}

/** Compares two rows without their terminators, from a key on. */
export function compareContents(
  order: Order,
  key: Key,
  aBegin: usize,
  aEnd: usize,
  bBegin: usize,
  bEnd: usize,
): i32 {
  for (; order.has(key); key = key.next) {
    const compared = compareKeys(order, key, aBegin, aEnd, bBegin, bEnd);
    if (compared !== 0) return compared;
  }
  return 0;
}

/**
 * Compares two rows whose first words are equal.
 *
 * @param more whether the first key of one of them goes on after it, unless it is a string.
 */
export function compareAfterWord(
  order: Order,
  word: u64,
  more: bool,
  aBegin: usize,
  aEnd: usize,
  bBegin: usize,
  bEnd: usize,
): i32 {
  if (!advance(order, 0, 0, word, more)) return 0;
  return compareContents(order, order.keyAt(nextStage === 0 ? nextKey : 0), aBegin, aEnd, bBegin, bEnd);
}

function compareKeys(order: Order, key: Key, aBegin: usize, aEnd: usize, bBegin: usize, bEnd: usize): i32 {
  if (key.isDerived) return compareDerived(order, key, aBegin, aEnd, bBegin, bEnd);
  const aFrom = keyBegin(order, key, aBegin, aEnd);
  const aQuoted = isQuoted;
  const aTo = keyEnd(order, key, aBegin, aEnd, aFrom);
  const bFrom = keyBegin(order, key, bBegin, bEnd);
  const bQuoted = isQuoted;
  const bTo = keyEnd(order, key, bBegin, bEnd, bFrom);
  let both: usize = 0;
  if (key.comparison === BYTES && aQuoted === bQuoted) {
    if (key.table === 0 && !aQuoted) {
      const compared = compareBytes(aFrom, aTo, bFrom, bTo);
      return key.flip !== 0 ? -compared : compared;
    }
    // Equal bytes stand for equal ones, unless they divide two quotes.
    both = commonBytes(aFrom, bFrom, min<usize>(aTo - aFrom, bTo - bFrom));
    if (aQuoted) while (both > 0 && load<u8>(aFrom + both - 1) === QUOTE) both--;
  }
  return compareWords(order, key, aFrom + both, aTo, aQuoted, bFrom + both, bTo, bQuoted);
}

/** Compares two keys, each from its begin to its end, by their words. */
function compareWords(
  order: Order,
  key: Key,
  aFrom: usize,
  aTo: usize,
  aQuoted: bool,
  bFrom: usize,
  bTo: usize,
  bQuoted: bool,
): i32 {
  const isBytes = key.comparison === BYTES;
  const flip = key.flip;
  let aWord = firstWordOf(order, key, aFrom, aTo, aQuoted);
  let aCursor = cursorAfter;
  let more = hasMore;
  let bWord = firstWordOf(order, key, bFrom, bTo, bQuoted);
  let bCursor = cursorAfter;
  more = more || hasMore;
  if (aWord === bWord && !isBytes) {
    // Further words of numbers need the sign.
    aFrom = skipBlanks(aFrom, aTo);
    bFrom = skipBlanks(bFrom, bTo);
  }
  let stage: u32 = isBytes ? 1 : stageAfterFirst(key, aWord);
  while (aWord === bWord) {
    if (isBytes ? ((aWord ^ flip) & 0xff) !== MORE_BYTES : !more) return 0;
    aWord = nextWordOf(order, key, aFrom, aTo, stage, aCursor);
    aCursor = cursorAfter;
    more = hasMore;
    bWord = nextWordOf(order, key, bFrom, bTo, stage, bCursor);
    bCursor = cursorAfter;
    more = more || hasMore;
    stage++;
  }
  return aWord < bWord ? -1 : 1;
}

export function compareBytes(a: usize, aEnd: usize, b: usize, bEnd: usize): i32 {
  const aLength = aEnd - a;
  const bLength = bEnd - b;
  const both = min<usize>(aLength, bLength);
  let at: usize = 0;
  for (; at + 16 <= both; at += 16) {
    if (v128.any_true(v128.xor(v128.load(a + at), v128.load(b + at)))) break;
  }
  for (; at + 8 <= both; at += 8) {
    const x = load<u64>(a + at);
    const y = load<u64>(b + at);
    if (x !== y) return bswap<u64>(x) < bswap<u64>(y) ? -1 : 1;
  }
  for (; at < both; at++) {
    const x = load<u8>(a + at);
    const y = load<u8>(b + at);
    if (x !== y) return x < y ? -1 : 1;
  }
  return aLength < bLength ? -1 : <i32>(aLength > bLength);
}

/** Whether two pieces of the text hold the same bytes. */
export function isSame(a: usize, aEnd: usize, b: usize, bEnd: usize): bool {
  if (aEnd - a !== bEnd - b) return false;
  for (; a + 16 <= aEnd; a += 16, b += 16) {
    if (v128.any_true(v128.xor(v128.load(a), v128.load(b)))) return false;
  }
  for (; a + 8 <= aEnd; a += 8, b += 8) if (load<u64>(a) !== load<u64>(b)) return false;
  const rest = aEnd - a;
  return rest === 0 || (load<u64>(a) ^ load<u64>(b)) << (64 - 8 * <u64>rest) === 0;
}
