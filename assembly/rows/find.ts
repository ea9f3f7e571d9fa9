// Where rows begin. A text is looked through piece by piece. Whether a piece begins within quotes is known only
// when all pieces before it were looked through, so rows are first counted for both cases.

import { isOneRow, QUOTE } from "./fields";
import { hasQuotes, nextRow, rowBegin, separatorOf, terminatorOf, textOf } from "./order";

/** Bit i of 16: whether an odd number of the bits up to i are set. */
function parities(mask: u32): u32 {
  mask ^= mask << 1;
  mask ^= mask << 2;
  mask ^= mask << 4;
  return (mask ^ (mask << 8)) & 0xffff;
}

/**
 * Counts the terminators of rows from `from` to `end`: u32 at `found`, those outside quotes if the piece begins
 * outside; then those if it begins within; then whether the number of quotes is odd. Then, for both cases, whether a
 * quote begins quoted text elsewhere than at the begin of a field: then rows may be told apart wrongly.
 */
export function countRows(from: usize, end: usize, found: usize, order: usize): void {
  const quoted = hasQuotes(order);
  const terminator: u32 = terminatorOf(order);
  const terminators = i8x16.splat(<i8>terminator);
  const quotes = i8x16.splat(<i8>QUOTE);
  let all: u32 = 0;
  let within: u32 = 0;
  let inside: u32 = 0;
  const separators = i8x16.splat(<i8>separatorOf(order));
  const text = textOf(order);
  let looseOutside: u32 = 0;
  let looseWithin: u32 = 0;
  let at = from;
  if (!quoted) {
    for (; at + 16 <= end; at += 16) all += popcnt(i8x16.bitmask(i8x16.eq(v128.load(at), terminators)));
  } else {
    for (; at + 16 <= end; at += 16) {
      const bytes = v128.load(at);
      const rows = <u32>i8x16.bitmask(i8x16.eq(bytes, terminators));
      const quoteBits = <u32>i8x16.bitmask(i8x16.eq(bytes, quotes));
      const parity = parities(quoteBits) ^ inside;
      if (quoteBits !== 0) {
        const before = v128.load(at - 1);
        const ends = v128.or(i8x16.eq(before, separators), i8x16.eq(before, terminators));
        const loose = quoteBits & ~(<u32>i8x16.bitmask(v128.or(ends, i8x16.eq(before, quotes))));
        const own = at === text ? loose & ~1 : loose;
        looseOutside |= own & parity;
        looseWithin |= own & ~parity;
      }
      all += popcnt(rows);
      within += popcnt(rows & parity);
      inside = (parity >> 15) * 0xffff;
    }
  }
  let isInside = inside !== 0;
  for (; at < end; at++) {
    const byte = load<u8>(at);
    if (quoted && byte === QUOTE) {
      isInside = !isInside;
      const before: u32 = at === text ? terminator : load<u8>(at - 1);
      if (before !== terminator && before !== separatorOf(order) && before !== QUOTE) {
        if (isInside) looseOutside = 1;
        else looseWithin = 1;
      }
    }
    if (byte !== terminator) continue;
    all++;
    if (isInside) within++;
  }
  store<u32>(found, all - within);
  store<u32>(found, within, 4);
  store<u32>(found, <u32>isInside, 8);
  store<u32>(found, looseOutside, 12);
  store<u32>(found, looseWithin, 16);
}

/** Stores, for each terminator of a row, the position after it, as u32. @param text the address of position 0. */
export function findRows(
  from: usize,
  end: usize,
  isInside: bool,
  starts: usize,
  text: usize,
  order: usize,
): void {
  const quoted = hasQuotes(order);
  const terminator: u32 = terminatorOf(order);
  const terminators = i8x16.splat(<i8>terminator);
  const quotes = i8x16.splat(<i8>QUOTE);
  let inside: u32 = isInside ? 0xffff : 0;
  let to = starts;
  let at = from;
  for (; at + 16 <= end; at += 16) {
    const bytes = v128.load(at);
    let rows = <u32>i8x16.bitmask(i8x16.eq(bytes, terminators));
    if (quoted) {
      const parity = parities(<u32>i8x16.bitmask(i8x16.eq(bytes, quotes))) ^ inside;
      rows &= ~parity;
      inside = (parity >> 15) * 0xffff;
    }
    const next = <u32>(at - text) + 1;
    for (; rows !== 0; rows &= rows - 1) {
      store<u32>(to, next + ctz(rows));
      to += 4;
    }
  }
  let within = inside !== 0;
  for (; at < end; at++) {
    const byte = load<u8>(at);
    if (quoted && byte === QUOTE) within = !within;
    if (byte !== terminator || within) continue;
    store<u32>(to, <u32>(at - text) + 1);
    to += 4;
  }
}

/** Looks for a row that quotes within its fields make end at a wrong place: stores its number plus 1 at `found`. */
export function checkQuotes(row: u32, n: usize, found: usize, order: usize): void {
  for (let i: u32 = row; i < row + <u32>n; i++) {
    if (isOneRow(rowBegin(order, i), nextRow(order, i) - 1, separatorOf(order), terminatorOf(order)))
      continue;
    store<u32>(found, i + 1);
    return;
  }
}
