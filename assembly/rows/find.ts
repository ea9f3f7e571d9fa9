// Where rows begin. A text is searched piece by piece. Whether a piece begins within quotes is known only
// when all pieces before it were searched, so rows are first counted for both cases.

import { CARRIAGE_RETURN } from "../text/constants";
import { QUOTE } from "./fields";
import { Order } from "./order";

// The states of `walkRows` between two bytes, and those that it adds on the way.
const OUTSIDE: u32 = 0; // the byte before tells more
const QUOTED: u32 = 1;
const UNQUOTED: u32 = 2; // within a field that did not begin with a quote
const BEGIN: u32 = 3; // of a field
const CLOSED: u32 = 4; // after a quote in quotes

/** Bit i of 16: whether an odd number of the bits up to i are set. */
function parities(mask: u32): u32 {
  mask ^= mask << 1;
  mask ^= mask << 2;
  mask ^= mask << 4;
  return (mask ^ (mask << 8)) & 0xffff;
}

/**
 * Counts the terminators of rows from `from` to `end`: u32 at `counts`, those outside quotes if the piece begins
 * outside; then those if it begins within; then whether the number of quotes is odd. Then, for both cases,
 * whether quotes are not where RFC 4180 has them: one begins quoted text within a field, or text follows a
 * closing one. Then the counts are wrong, and `walkRows` gives the right ones.
 */
export function countRows(from: usize, end: usize, counts: usize, order: Order): void {
  const quoted = order.hasQuotes;
  const terminator: u32 = order.terminator;
  const terminators = i8x16.splat(<i8>terminator);
  const quotes = i8x16.splat(<i8>QUOTE);
  let all: u32 = 0;
  let within: u32 = 0;
  let inside: u32 = 0;
  const separators = i8x16.splat(<i8>order.separator);
  const returns = i8x16.splat(<i8>CARRIAGE_RETURN);
  const text = order.text;
  let oddOutside: u32 = 0;
  let oddWithin: u32 = 0;
  let followsQuote: u32 = <u32>(from > text && load<u8>(from - 1) === QUOTE);
  let at = from;
  if (!quoted) {
    for (; at + 16 <= end; at += 16) all += popcnt(i8x16.bitmask(i8x16.eq(v128.load(at), terminators)));
  } else {
    for (; at + 16 <= end; at += 16) {
      const bytes = v128.load(at);
      const rows = <u32>i8x16.bitmask(i8x16.eq(bytes, terminators));
      const quoteBits = <u32>i8x16.bitmask(i8x16.eq(bytes, quotes));
      const parity = parities(quoteBits) ^ inside;
      if ((quoteBits | followsQuote) !== 0) {
        const before = v128.load(at - 1);
        const ends = v128.or(i8x16.eq(before, separators), i8x16.eq(before, terminators));
        const afterQuote = ((quoteBits << 1) | followsQuote) & 0xffff;
        let opening = quoteBits & ~(<u32>i8x16.bitmask(ends)) & ~afterQuote;
        if (at === text) opening &= ~1;
        const mayFollow = v128.or(i8x16.eq(bytes, separators), i8x16.eq(bytes, returns));
        const follows = afterQuote & ~quoteBits & ~rows & ~(<u32>i8x16.bitmask(mayFollow));
        oddOutside |= (opening & parity) | (follows & ~parity);
        oddWithin |= (opening & ~parity) | (follows & parity);
      }
      followsQuote = quoteBits >> 15;
      all += popcnt(rows);
      within += popcnt(rows & parity);
      inside = (parity >> 15) * 0xffff;
    }
  }
  let isInside = inside !== 0;
  for (; at < end; at++) {
    const byte = load<u8>(at);
    if (quoted) {
      const before: u32 = at === text ? terminator : load<u8>(at - 1);
      let isOpening = false;
      let isText = false;
      if (byte === QUOTE) {
        isInside = !isInside;
        isOpening = before !== terminator && before !== order.separator && before !== QUOTE;
      } else if (before === QUOTE) {
        isText = byte !== terminator && byte !== order.separator && byte !== CARRIAGE_RETURN;
      }
      if (isInside ? isOpening : isText) oddOutside = 1;
      if (isInside ? isText : isOpening) oddWithin = 1;
    }
    if (byte !== terminator) continue;
    all++;
    if (isInside) within++;
  }
  store<u32>(counts, all - within);
  store<u32>(counts, within, 4);
  store<u32>(counts, <u32>isInside, 8);
  store<u32>(counts, oddOutside, 12);
  store<u32>(counts, oddWithin, 16);
}

/** Stores, for each terminator of a row, the position after it, as u32. @param text the address of position 0. */
export function findRows(
  from: usize,
  end: usize,
  isInside: bool,
  starts: usize,
  text: usize,
  order: Order,
): void {
  const quoted = order.hasQuotes;
  const terminator: u32 = order.terminator;
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

/**
 * Reads a piece byte by byte, where a quote counts only if a field begins with it. Reports the number of its
 * rows, as u32, the state at its end, and the number of the row in which text follows a closing quote, plus 1;
 * 0 if there is none.
 *
 * @param state OUTSIDE, QUOTED or UNQUOTED.
 * @param to where the positions of rows go as `findRows` stores them; 0 to store none.
 */
export function walkRows(
  from: usize,
  end: usize,
  state: u32,
  to: usize,
  report: usize,
  text: usize,
  order: Order,
): void {
  const terminator: u32 = order.terminator;
  const separator: u32 = order.separator;
  if (state === OUTSIDE) {
    const before: u32 = from > text ? load<u8>(from - 1) : terminator;
    state = before === QUOTE ? CLOSED : before === terminator || before === separator ? BEGIN : UNQUOTED;
  }
  let rows: u32 = 0;
  let wrong: u32 = 0;
  for (let at = from; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (state === QUOTED) {
      if (byte === QUOTE) state = CLOSED;
    } else if (byte === terminator) {
      state = BEGIN;
      if (to !== 0) store<u32>(to + (rows << 2), <u32>(at - text) + 1);
      rows++;
    } else if (byte === separator) state = BEGIN;
    else if (byte === QUOTE && state !== UNQUOTED)
      state = QUOTED; // one that begins a field, or the second of two
    else {
      if (state === CLOSED && byte !== CARRIAGE_RETURN && wrong === 0) wrong = rows + 1;
      state = UNQUOTED;
    }
  }
  store<u32>(report, rows);
  store<u32>(report, state > UNQUOTED ? OUTSIDE : state, 4);
  store<u32>(report, wrong, 8);
}
