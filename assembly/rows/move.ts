// Rows to their places in the output, checked on the way: each is compared with the one before it where it now
// is, and hashed, so that the sum over all rows tells whether each came through unchanged.

import { compareAfterWord } from "./compare";
import { ELEMENT_BYTES, isEqualToLast, rowOf } from "./elements";
import { readByDigits } from "./numbers";
import { Order } from "./order";
import { keepReads, PREFETCHED_ROWS } from "./prefetch";
import { firstWordAt, hasMore } from "./words";

const HASH_FACTOR: u64 = 0x9e3779b97f4a7c15;
const HASH_STEP: u64 = 0xd1b54a32d192ed02;

// What is reported of moved rows.
const BYTES: usize = 0; // u64
const ROWS: usize = 8; // u32
const INVERSIONS: usize = 12; // u32, neighbours in the wrong order
const HASHES: usize = 16; // u64, the sum of the hashes of all rows
const WRITTEN_HASHES: usize = 24; // u64, the sum of the hashes of the rows that were written

/**
 * A hash of the bytes of a row, of 64 bits: the sum of its words times odd factors, which a core multiplies at
 * the same time, then mixed. D. Lemire and O. Kaser, "Strongly universal string hashing is fast", 2014.
 */
export function hashOf(from: usize, end: usize): u64 {
  const length = end - from;
  let sum: u64 = <u64>length;
  let factor: u64 = HASH_FACTOR;
  let at = from;
  // The last words overlap those before, so that most lengths take the same branches.
  if (length >= 16) {
    for (; at + 16 < end; at += 16) {
      sum += load<u64>(at) * factor + load<u64>(at, 8) * (factor + HASH_STEP);
      factor += 2 * HASH_STEP;
    }
    sum += load<u64>(end - 16) * factor + load<u64>(end - 8) * (factor + HASH_STEP);
  } else if (length >= 8) sum += load<u64>(at) * factor + load<u64>(end - 8) * (factor + HASH_STEP);
  else if (length > 0) sum += (load<u64>(at) << (64 - 8 * <u64>length)) * factor;
  return mixed(mixed(sum));
}

function mixed(hash: u64): u64 {
  const product = (hash ^ (hash >>> 32)) * HASH_FACTOR;
  return product ^ (product >>> 29);
}

/** Adds up the hashes of `n` rows of the text from number `row` on. */
export function hashRows(row: u32, n: usize, findings: usize, order: Order): void {
  let sum: u64 = 0;
  for (let i: u32 = 0; i < <u32>n; i++) sum += hashOf(order.rowBegin(row + i), order.nextRow(row + i));
  store<u64>(findings, sum, HASHES);
}

/** Adds up the lengths of the rows that are written. */
export function measureRows(elements: usize, n: usize, findings: usize, order: Order): void {
  let bytes: u64 = 0;
  let rows: u32 = 0;
  const end = elements + n * ELEMENT_BYTES;
  for (let element = elements; element < end; element += ELEMENT_BYTES) {
    if (isEqualToLast(element)) continue;
    bytes += order.nextRow(rowOf(element)) - order.rowBegin(rowOf(element));
    rows++;
  }
  store<u64>(findings, bytes, BYTES);
  store<u32>(findings, rows, ROWS);
}

/**
 * Copies rows in the order of their elements, except those that are marked as equal to the one before, and
 * must be. Each other must come after the one before it, or may be equal to it.
 *
 * @param out where the first row goes, or 0 if rows stay where they are; `outEnd` the end of the last one.
 * @param before the element of the last row that was written before; 0 if there is none.
 */
export function moveRows(
  elements: usize,
  n: usize,
  out: usize,
  outEnd: usize,
  before: usize,
  findings: usize,
  order: Order,
): void {
  readByDigits(true);
  const key = order.keyAt(0);
  const strict = order.marksEqual;
  let hashes: u64 = 0;
  let equalHashes: u64 = 0;
  let inversions: u32 = 0;
  let bytes: u64 = 0;
  let to = out;
  let lastWord: u64 = 0;
  let lastMore = false;
  let last: usize = 0;
  let lastEnd: usize = 0;
  if (before !== 0) {
    last = order.rowBegin(rowOf(before));
    lastEnd = order.contentEnd(last, order.nextRow(rowOf(before)));
    lastWord = firstWordAt(order, key, last, lastEnd);
    lastMore = hasMore;
  }
  const end = elements + n * ELEMENT_BYTES;
  let ahead = elements;
  for (let element = elements; element < end; element += ELEMENT_BYTES) {
    if (element === ahead) {
      ahead = min<usize>(end, ahead + PREFETCHED_ROWS * ELEMENT_BYTES);
      prefetchRows(element, ahead, order);
    }
    const row = rowOf(element);
    const from = order.rowBegin(row);
    const next = order.nextRow(row);
    if (isEqualToLast(element)) {
      equalHashes += hashOf(from, next);
      const content = order.contentEnd(from, next);
      const word = firstWordAt(order, key, from, content);
      const more = hasMore || lastMore;
      if (word !== lastWord || compareAfterWord(order, word, more, last, lastEnd, from, content) !== 0)
        inversions++;
      continue;
    }
    const length = next - from;
    if (out === 0) to = from;
    else copyRow(to, from, length, outEnd);
    const after = to + length;
    hashes += hashOf(to, after);
    const content = order.contentEnd(to, after);
    const word = firstWordAt(order, key, to, content);
    const more = hasMore;
    bytes += length;
    if (last !== 0 && word <= lastWord) {
      const isWrong =
        word < lastWord ||
        compareAfterWord(order, word, more || lastMore, last, lastEnd, to, content) > (strict ? -1 : 0);
      if (isWrong) inversions++;
    }
    lastMore = more;
    last = to;
    lastEnd = content;
    lastWord = word;
    to = after;
  }
  readByDigits(false);
  store<u64>(findings, bytes, BYTES);
  store<u32>(findings, inversions, INVERSIONS);
  store<u64>(findings, hashes + equalHashes, HASHES);
  store<u64>(findings, hashes, WRITTEN_HASHES);
}

/** Brings the rows of elements into the cache. */
function prefetchRows(elements: usize, end: usize, order: Order): void {
  let sum: u32 = 0;
  for (let element = elements; element < end; element += ELEMENT_BYTES) {
    const row = rowOf(element);
    sum += load<u8>(order.rowBegin(row)) + load<u8>(order.nextRow(row) - 1);
  }
  keepReads(sum);
}

/** Copies in vectors, which may write beyond the row what the next row replaces, but not beyond `outEnd`. */
function copyRow(to: usize, from: usize, length: usize, outEnd: usize): void {
  if (length > 256 || to + ((length + 15) & ~15) > outEnd) {
    memory.copy(to, from, length);
    return;
  }
  for (let at: usize = 0; at < length; at += 16) v128.store(to + at, v128.load(from + at));
}
