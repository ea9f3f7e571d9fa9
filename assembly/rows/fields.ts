// Where the keys of a row are: fields as sort(1) counts them (POSIX.1-2017, sort, "-k keydef"), or those of a
// table of comma-separated values (RFC 4180).

import { ENDS_AT_BLANK, ENDS_AT_SEPARATOR, ENDS_WITH_QUOTES, ENDS_WITH_ROW, Key, NONE, Order } from "./order";

export const QUOTE: u32 = 34;

const ONES: u64 = 0x0101010101010101;
const HIGHEST_BITS: u64 = 0x8080808080808080;

/** Whether a byte separates fields: sort(1) counts a line feed too, which rows that end with 0 may hold. */
export function isBlank(byte: u32): bool {
  return byte === 32 || byte === 9 || byte === 10;
}

export function skipBlanks(at: usize, end: usize): usize {
  while (at < end && isBlank(load<u8>(at))) at++;
  return at;
}

function skipOthers(at: usize, end: usize): usize {
  while (at < end && !isBlank(load<u8>(at))) at++;
  return at;
}

/** Compares eight bytes at a time, of which some may lie beyond the end. */
function findSeparator(at: usize, end: usize, separator: u32): usize {
  const separators = <u64>separator * ONES;
  for (; at < end; at += 8) {
    const others = load<u64>(at) ^ separators;
    const marks = (others - ONES) & ~others & HIGHEST_BITS; // its lowest mark is right
    if (marks !== 0) return min<usize>(at + (<usize>ctz(marks) >> 3), end);
  }
  return end;
}

/** The end of a field of comma-separated values, with its quotes. */
function quotedFieldEnd(at: usize, end: usize, separator: u32): usize {
  if (at < end && load<u8>(at) === QUOTE) at = closingQuote(at + 1, end);
  return findSeparator(at, end, separator);
}

/** The quote that ends what begins at `at`: two quotes stand for one. The end of the row if there is none. */
function closingQuote(at: usize, end: usize): usize {
  for (; at < end; at++) {
    if (load<u8>(at) !== QUOTE) continue;
    if (at + 1 >= end || load<u8>(at + 1) !== QUOTE) return at;
    at++;
  }
  return end;
}

/** Whether the key whose begin `keyBegin` gave is enclosed in quotes. */
export let isQuoted: bool = false;

/** Whether the row has fields, but not that of the key that `keyBegin` searched last. Only with quotes. */
export let isMissing: bool = false;

/** Where a key begins in the row from `begin` to `end`. */
export function keyBegin(order: Order, key: Key, begin: usize, end: usize): usize {
  const separator = order.separator;
  let fields = key.beginField;
  let at = begin;
  isQuoted = false;
  if (order.hasQuotes) {
    isMissing = false;
    for (; fields > 0 && at < end; fields--) {
      at = quotedFieldEnd(at, end, separator);
      if (at < end) at++;
      else isMissing = true;
    }
    isMissing = isMissing || (fields > 0 && begin < end);
    isQuoted = key.ending === ENDS_WITH_QUOTES && at < end && load<u8>(at) === QUOTE;
    return isQuoted ? at + 1 : at;
  }
  if (separator !== NONE) {
    for (; fields > 0 && at < end; fields--) {
      at = findSeparator(at, end, separator);
      if (at < end) at++;
    }
  } else {
    for (; fields > 0 && at < end; fields--) at = skipOthers(skipBlanks(at, end), end);
  }
  if (key.skipsBlanksAtBegin) at = skipBlanks(at, end);
  const offset: usize = key.beginOffset;
  return offset < end - at ? at + offset : end;
}

/** Where a key ends that begins at `from`. */
export function keyEnd(order: Order, key: Key, begin: usize, end: usize, from: usize): usize {
  const ending = key.ending;
  const separator = order.separator;
  if (ending === ENDS_WITH_ROW) return end;
  if (ending === ENDS_WITH_QUOTES) {
    return isQuoted ? closingQuote(from, end) : findSeparator(from, end, separator);
  }
  if (ending === ENDS_AT_SEPARATOR) return findSeparator(from, end, separator);
  if (ending === ENDS_AT_BLANK) return skipOthers(skipBlanks(from, end), end);
  const bytes = key.endBytes;
  let fields = key.endField + <u32>(bytes === NONE);
  let at = begin;
  if (separator !== NONE) {
    for (; fields > 0 && at < end; fields--) {
      at = findSeparator(at, end, separator);
      if (at < end && (fields > 1 || bytes !== NONE)) at++;
    }
  } else {
    for (; fields > 0 && at < end; fields--) at = skipOthers(skipBlanks(at, end), end);
  }
  if (bytes !== NONE) {
    if (key.skipsBlanksAtEnd) at = skipBlanks(at, end);
    at = <usize>bytes < end - at ? at + bytes : end;
  }
  return max(at, from);
}

/**
 * Where a key ends of which the bytes up to `cursor`, at least one, were compared; any later place if it does not
 * end within the next `reach` bytes. So a long key is not searched again for each part of it.
 *
 * @param quoted whether it is enclosed in quotes.
 */
export function keyEndFrom(
  order: Order,
  key: Key,
  begin: usize,
  end: usize,
  cursor: usize,
  quoted: bool,
  reach: usize,
): usize {
  const ending = key.ending;
  if (ending === ENDS_WITH_ROW) return end;
  const limit = min<usize>(end, cursor + reach);
  if (ending === ENDS_AT_SEPARATOR) return findSeparator(cursor, limit, order.separator);
  if (ending === ENDS_WITH_QUOTES) {
    // Twice as far, as two quotes stand for one byte.
    if (quoted) return closingQuote(cursor, min<usize>(end, cursor + 2 * reach + 1));
    return findSeparator(cursor, limit, order.separator);
  }
  if (ending === ENDS_AT_BLANK) {
    const first = isBlank(load<u8>(cursor - 1)) ? skipBlanks(cursor, limit) : cursor;
    return skipOthers(first, limit);
  }
  return keyEnd(order, key, begin, end, cursor);
}
