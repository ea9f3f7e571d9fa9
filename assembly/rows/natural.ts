// Natural order, that of `sort -V`: "Version sort ordering" of the manual of GNU coreutils, and `filevercmp` of
// gnulib. A key is compared by a string of codes, whose order as bytes is the natural one:
//
// - Names that begin with a point go first: "." and ".." have a code of their own, others begin with HIDDEN.
// - Then comes the name without its suffix, such as ".tar.gz", then a code that tells whether it has one, and then
//   the suffix without its first point. So names are compared by what is before the suffix first.
// - Bytes that are no digits have the order ~, then the end of a part, letters, others.
// - A number has the code NUMBER and how many digits it has without leading zeros, and then these, two in a code
//   but for the first of an odd number of them. What ends without a number ends as if a 0 followed.
//
// The codes of single bytes are the key's table: src/rows/order/key_tables.ts.

import { QUOTE } from "./fields";
import { finishedWord, WORD_BYTES } from "./string_words";

const DOT: u32 = 0;
const TWO_DOTS: u32 = 1;
const HIDDEN: u32 = 2;
/** 0; then come numbers with one digit, two, … This is also the end of a name, and the code of each digit. */
const NUMBER: u32 = 4;
/** After a name without its suffix, which ends with a number, or with another byte. */
const SUFFIX_OF_NUMBER: u32 = 5;
const SUFFIX: u32 = 6;
/** More digits have a code that says how many. */
const FEW_DIGITS: u32 = 5;
const MANY_DIGITS: u32 = 10;
const LAST_LETTER: u32 = 62;
const POINT: u32 = 109;

// A state: the position, counted from the begin of the key, of what comes next, and how many of its codes came
// already, in the lowest four bits; or that pairs of digits are next, or that nothing is.
export const STATE_BITS: u64 = 4;
export const STATE_MASK: u64 = 15;
export const IN_DIGITS: u32 = 15;
const ENDED: u32 = 14;

// The key that codes are made of.
let end: usize = 0;
let suffix: usize = 0;
let codes: usize = 0;
let hasQuotes: bool = false;
let ignores: bool = false;
let at: usize = 0;
let done: u32 = 0;

/** The state after the last word. */
export let naturalState: u64 = 0;

/** Whether a table leaves bytes out: then the last one is. */
export function leavesOut(table: usize): bool {
  return load<u8>(table, 511) !== 0;
}

function isIgnored(at: usize): bool {
  return ignores && load<u8>(codes + load<u8>(at), 256) !== 0;
}

function codeAt(at: usize): u32 {
  return load<u8>(codes + load<u8>(at));
}

function skipIgnored(at: usize): usize {
  while (at < end && isIgnored(at)) at++;
  return at;
}

/** The byte after one, of which two quotes may stand for one. */
function after(at: usize): usize {
  const next = hasQuotes && load<u8>(at) === QUOTE ? at + 2 : at + 1;
  return ignores ? skipIgnored(next) : next;
}

/** Where the suffix of a key begins: points, each before a letter or ~, then letters, digits and ~. */
export function suffixOf(from: usize, to: usize, table: usize): usize {
  let begin = to;
  codes = table;
  ignores = leavesOut(table);
  end = to;
  const first = skipIgnored(from);
  let mayBegin = false;
  for (let at = to; at > first + 1; ) {
    at--;
    if (isIgnored(at)) continue;
    const code = codeAt(at);
    if (code <= LAST_LETTER) mayBegin = code !== NUMBER;
    else {
      if (code !== POINT || !mayBegin) break;
      begin = at;
      mayBegin = false;
    }
  }
  return begin;
}

/**
 * The next word of a key.
 *
 * @param suffix where its suffix begins; `state` 0 for the first word, else `naturalState` after the one before.
 */
export function naturalWord(
  from: usize,
  to: usize,
  quoted: bool,
  table: usize,
  suffixAt: usize,
  state: u64,
): u64 {
  end = to;
  suffix = suffixAt;
  codes = table;
  ignores = leavesOut(table);
  hasQuotes = quoted;
  at = skipIgnored(from + <usize>(state >> STATE_BITS));
  done = <u32>(state & STATE_MASK);
  let word: u64 = 0;
  let n: u32 = 0;
  if (state === 0) {
    if (at === end) return 0;
    if (codeAt(at) === POINT) {
      word = hiddenCode();
      n = 1;
    }
  }
  for (; n < WORD_BYTES && done !== ENDED; n++) word = (word << 8) | nextCode();
  naturalState = ((<u64>(at - from)) << STATE_BITS) | done;
  return finishedWord(word, n, done !== ENDED);
}

/** The first code of a name that begins with a point. */
function hiddenCode(): u32 {
  const second = after(at);
  const isAlone = second === end;
  if (isAlone || (codeAt(second) === POINT && after(second) === end)) {
    done = ENDED;
    return isAlone ? DOT : TWO_DOTS;
  }
  at = second;
  return HIDDEN;
}

function nextCode(): u32 {
  if (done === IN_DIGITS) return pairCode();
  if (at === end || at === suffix) return endCode();
  const code = codeAt(at);
  if (code === NUMBER) return numberCode();
  at = after(at);
  return code;
}

/** The end of the key, or of what is before its suffix. */
function endCode(): u32 {
  const endsWithNumber = codeBefore(at) === NUMBER;
  if (done === 0 && !endsWithNumber) {
    done = 1;
    return NUMBER;
  }
  if (at === end) {
    done = ENDED;
    return NUMBER;
  }
  done = 0;
  at = after(at);
  return endsWithNumber ? SUFFIX_OF_NUMBER : SUFFIX;
}

function codeBefore(at: usize): u32 {
  at--;
  while (isIgnored(at)) at--;
  return codeAt(at);
}

function hasDigit(at: usize): bool {
  return at < end && codeAt(at) === NUMBER;
}

function digitAt(at: usize): u32 {
  return <u32>load<u8>(at) - 48;
}

/** A code of what says how many digits a number has, or its first one. */
function numberCode(): u32 {
  let first = at;
  while (hasDigit(first) && digitAt(first) === 0) first = after(first);
  let digits: u32 = 0;
  for (let last = first; hasDigit(last); last = after(last)) digits++;
  let all: u64 = NUMBER + digits;
  let count: u32 = 1;
  if (digits > FEW_DIGITS) {
    const more = digits - FEW_DIGITS - 1;
    all = ((<u64>MANY_DIGITS) << 8) | min<u32>(more, 255);
    count = 2;
    if (more >= 255) {
      all = (all << 32) | digits;
      count = 6;
    }
  }
  const isOdd = (digits & 1) !== 0;
  if (isOdd) {
    all = (all << 8) | digitAt(first);
    count++;
  }
  const code = <u32>(all >> (8 * (count - 1 - done))) & 0xff;
  done++;
  if (done === count) {
    at = isOdd ? after(first) : first;
    done = digits > 1 ? IN_DIGITS : 0;
  }
  return code;
}

/** The next two digits. */
function pairCode(): u32 {
  const second = after(at);
  const code = 10 * digitAt(at) + digitAt(second);
  at = after(second);
  done = hasDigit(at) ? IN_DIGITS : 0;
  return code;
}
