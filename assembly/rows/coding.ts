// A word for more of a string than seven bytes: each byte stands for its rank among those that a sample of the
// keys has in its place, and the ranks are the digits of one number, each with a radix of its own (D. Knuth, "The
// Art of Computer Programming", vol. 2, 4.1, mixed radix). So a place in which all keys agree takes no room, and
// a decimal digit takes 3.3 bits. The words of any two keys that differ compare as the keys do, whatever the
// sample was, or are equal. src/rows/order/key_coding.ts makes the coding, which lies directly before the order.
//
// An odd word holds the ranks of all its bytes. An even one lies between two odd ones: a byte was met that the
// sample does not have in this place, or the key ends where none of the sample does.

import { isQuoted, keyBegin, keyEnd } from "./fields";
import { Key, Order } from "./order";
import { endWord, firstWordAt, MARK } from "./words";

/** The stage of coded words: they come before the first words of bytes. */
export const CODED: u32 = 0xffffffff;

// A position. A rank counts the bytes of the sample that are smaller, and the end of a key as one of them.
const RADIX: usize = 0; // u64
const REST: usize = 8; // u64, the product of the radices of the positions after it
const ENDS: usize = 16; // u64, whether some key of the sample ends at this position or before it
const RANKS: usize = 24; // u16 for each byte: twice its rank, and 1 if the sample has it here
const POSITION_BYTES: usize = RANKS + 2 * 256;

// A coding.
const POSITIONS: usize = 0; // u32, how many bytes of a key are coded at most
const LAST_RADIX: usize = 4; // u32, the radix of the last position; 0 if no key of the sample ends before it
const FIRST: usize = 64; // the positions
const MOST_POSITIONS: usize = 64;
const CODING_BYTES: usize = FIRST + MOST_POSITIONS * POSITION_BYTES;

/**
 * Stores the first words of the first keys of `n` rows, as those of ascending keys, of every `stride`-th row; and
 * which bytes the keys have.
 *
 * @param seen for each position and each byte, as the key's table maps it, 1 if some key has it there; then for
 *   each number of bytes, up to that of the positions, 1 if some key has that number.
 */
export function sampleKeys(stride: u32, n: usize, to: usize, seen: usize, order: Order): void {
  const key = order.keyAt(0);
  const table = key.table;
  const lengths = seen + MOST_POSITIONS * 256;
  for (let i: usize = 0; i < n; i++) {
    const row = <u32>i * stride;
    const begin = order.rowBegin(row);
    const end = order.contentEnd(begin, order.nextRow(row));
    const from = keyBegin(order, key, begin, end);
    const length = keyEnd(order, key, begin, end, from) - from;
    const most = min(length, MOST_POSITIONS);
    for (let at: usize = 0; at < most; at++) {
      const byte: usize = load<u8>(from + at);
      store<u8>(seen + (at << 8) + (table === 0 ? byte : <usize>load<u8>(table + byte)), 1);
    }
    if (length <= MOST_POSITIONS) store<u8>(lengths + length, 1);
    store<u64>(to + (i << 3), firstWordAt(order, key, begin, end) ^ key.flip);
  }
}

/** Stores the coded words of the same keys. */
export function codeKeys(stride: u32, n: usize, to: usize, order: Order): void {
  const key = order.keyAt(0);
  for (let i: usize = 0; i < n; i++) {
    store<u64>(to + (i << 3), codedWord(order, key, <u32>i * stride) ^ key.flip);
  }
}

function codingOf(order: Order): usize {
  return changetype<usize>(order) - CODING_BYTES;
}

/** The coded word of a row's key. */
export function codedWord(order: Order, key: Key, row: u32): u64 {
  const begin = order.rowBegin(row);
  const end = order.contentEnd(begin, order.nextRow(row));
  const from = keyBegin(order, key, begin, end);
  const mark: u32 = isQuoted ? MARK : 0;
  const length = keyEnd(order, key, begin, end, from) - from;
  const coding = codingOf(order);
  const most: usize = load<u32>(coding, POSITIONS);
  endWord(<u32>(from + min(length, most) - order.text) | mark);
  return wordOf(coding, from, length, most) ^ key.flip;
}

function wordOf(coding: usize, from: usize, length: usize, most: usize): u64 {
  const end = from + min(length, most);
  let position = coding + FIRST;
  let code: u64 = 0;
  for (let at = from; at < end; at++) {
    const rank = <u64>load<u16>(position + ((<usize>load<u8>(at)) << 1), RANKS);
    code = code * load<u64>(position, RADIX) + (rank >> 1);
    if ((rank & 1) === 0) return (code * load<u64>(position, REST)) << 1;
    position += POSITION_BYTES;
  }
  if (length >= most) return (code << 1) | 1;
  return ((code * load<u64>(position, RADIX) * load<u64>(position, REST)) << 1) | load<u64>(position, ENDS);
}

/** Whether a coded word holds no bytes that stand for themselves: the key must be read anew. */
export function isBetween(word: u64): bool {
  return (word & 1) === 0;
}

/** Whether keys with such a coded word, which is not between others, may go on after it. */
export function goesOnAfter(order: Order, word: u64): bool {
  const radix = load<u32>(codingOf(order), LAST_RADIX);
  return radix === 0 || (word >> 1) % radix !== 0;
}
