// Where rows begin. A text is looked through piece by piece. Whether a piece begins within quotes is known only
// when all pieces before it were looked through, so rows are first counted for both cases.

import { QUOTE } from "./fields";
import { hasQuotes, separatorOf, terminatorOf } from "./order";

/** Bit i of 16: whether an odd number of the bits up to i are set. */
function parities(mask: u32): u32 {
  mask ^= mask << 1;
  mask ^= mask << 2;
  mask ^= mask << 4;
  return (mask ^ (mask << 8)) & 0xffff;
}

// What `countRows` reports, for a piece that begins outside quotes, and for one that begins within.
const ROWS: usize = 0; // two u32, terminators outside quotes
const ODD: usize = 8; // u32, whether the number of quotes is odd
const STRAY: usize = 12; // two u32, 1 and the place in the piece of the first quote within a field without quotes; 0

/**
 * Counts the terminators of rows from `from` to `end`.
 *
 * @param text the address of the text, before which no byte counts.
 */
export function countRows(from: usize, end: usize, found: usize, text: usize, order: usize): void {
  if (hasQuotes(order)) {
    countQuotedRows(from, end, found, text, order);
    return;
  }
  const terminator: u32 = terminatorOf(order);
  const terminators = i8x16.splat(<i8>terminator);
  let all: u32 = 0;
  let at = from;
  for (; at + 16 <= end; at += 16) all += popcnt(i8x16.bitmask(i8x16.eq(v128.load(at), terminators)));
  for (; at < end; at++) all += <u32>(load<u8>(at) === terminator);
  store<u32>(found, all, ROWS);
}

/** A quote that begins a field comes after a separator or a terminator, one that stands for a quote after a quote. */
function countQuotedRows(from: usize, end: usize, found: usize, text: usize, order: usize): void {
  const terminators = i8x16.splat(<i8>terminatorOf(order));
  const separators = i8x16.splat(<i8>separatorOf(order));
  const quotes = i8x16.splat(<i8>QUOTE);
  let before: u32 = 1; // whether the byte before may be followed by a quote
  if (from > text) {
    const last: u32 = load<u8>(from - 1);
    before = <u32>(last === terminatorOf(order) || last === separatorOf(order) || last === QUOTE);
  }
  let outside: u32 = 0;
  let within: u32 = 0;
  let inside: u32 = 0;
  let strayOutside: u32 = 0;
  let strayWithin: u32 = 0;
  for (let at = from; at < end; at += 16) {
    const rest = end - at;
    const whole: u32 = rest >= 16 ? 0xffff : (1 << (<u32>rest)) - 1;
    const bytes = v128.load(at);
    const isQuote = i8x16.eq(bytes, quotes);
    const ofRows = i8x16.eq(bytes, terminators);
    const marks = <u32>i8x16.bitmask(isQuote) & whole;
    const rows = <u32>i8x16.bitmask(ofRows) & whole;
    const parity = parities(marks) ^ inside;
    outside += popcnt(rows & ~parity);
    within += popcnt(rows & parity);
    if (marks !== 0) {
      const may = <u32>i8x16.bitmask(v128.or(v128.or(isQuote, ofRows), i8x16.eq(bytes, separators)));
      const stray = marks & ~((may << 1) | before);
      const place = <u32>(at - from) + 1;
      if ((stray & parity) !== 0 && strayOutside === 0) strayOutside = place + ctz(stray & parity);
      if ((stray & ~parity) !== 0 && strayWithin === 0) strayWithin = place + ctz(stray & ~parity);
      before = (may >> 15) & 1;
    } else {
      const last = v128.or(ofRows, i8x16.eq(bytes, separators));
      before = (<u32>i8x16.bitmask(last) >> 15) & 1;
    }
    inside = (parity >> 15) * 0xffff;
  }
  store<u32>(found, outside, ROWS);
  store<u32>(found, within, ROWS + 4);
  store<u32>(found, inside & 1, ODD);
  store<u32>(found, strayOutside, STRAY);
  store<u32>(found, strayWithin, STRAY + 4);
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
