// Order without case: a key is compared by its characters of UTF-8 as Unicode's simple case folding maps each of
// them to one (The Unicode Standard, 3.13.3; CaseFolding.txt, C and S). Bytes that are no UTF-8 stay. The order of
// UTF-8 as bytes is that of code points. The key's table is that of src/rows/order/key_tables.ts.

import { QUOTE } from "./fields";
import { STATE_BITS, STATE_MASK } from "./natural";
import { finishedWord, hasQuote, WORD_BYTES } from "./string_words";

const HIGHEST_BITS: u64 = 0x8080808080808080;
const ONES: u64 = 0x0101010101010101;

// A table of code points: for each page of them the number of its distances, which follow, as i32.
const PAGE_BITS: u32 = 6;
const PAGES: usize = 2048;
const CODE_POINTS: u32 = (<u32>PAGES) << PAGE_BITS;

// A state: a position, counted from the begin of the key, and how many bytes came already of what the character
// there is folded to, in as many bits as in natural.ts.

/** The state after the last word. */
export let foldedState: u64 = 0;

/** Whether all that was folded for the last word was ASCII, without quotes that stand in pairs. */
export let isPlain: bool = false;

/** @param state 0 for the first word, else `foldedState` after the one before. */
export function foldedWord(from: usize, to: usize, quoted: bool, table: usize, state: u64): u64 {
  const at = from + <usize>(state >> STATE_BITS);
  const done = <u32>(state & STATE_MASK);
  const n = min<usize>(to - at, 8);
  isPlain = true;
  if (n === 0) return 0;
  const bytes = load<u64>(at) << (64 - 8 * <u64>n);
  isPlain = done === 0 && (bytes & HIGHEST_BITS) === 0 && !(quoted && hasQuote(bytes));
  if (!isPlain) return mixedWord(from, at, to, quoted, table, done);
  foldedState = (<u64>(at - from + min<usize>(n, WORD_BYTES))) << STATE_BITS;
  const word = bswap<u64>(lowerCase(bytes) >> (64 - 8 * <u64>n));
  return n > WORD_BYTES ? finishedWord(word >> 8, WORD_BYTES, true) : word | n;
}

/** Eight bytes of ASCII with their upper-case letters in lower case. */
function lowerCase(bytes: u64): u64 {
  const isUpper = (bytes + 63 * ONES) & ~(bytes + 37 * ONES) & HIGHEST_BITS; // from 65 on, but not from 91 on
  return bytes | (isUpper >> 2);
}

function mixedWord(from: usize, at: usize, to: usize, quoted: bool, table: usize, done: u32): u64 {
  let word: u64 = 0;
  let n: u32 = 0;
  while (at < to) {
    const byte: u32 = load<u8>(at);
    let length: u32 = 1 + <u32>(quoted && byte === QUOTE);
    let folded: u32 = byte - 65 < 26 ? byte | 32 : byte;
    let count: u32 = 1;
    if (byte >= 0x80) {
      const distance = distanceAt(at, to, table);
      if (distance !== 0) {
        length = characterLength;
        folded = encode(character + distance);
        count = encodedLength;
      }
    }
    for (; done < count && n < WORD_BYTES; done++, n++) {
      word = (word << 8) | ((folded >> (8 * (count - 1 - done))) & 0xff);
    }
    if (done < count) break;
    at += length;
    done = 0;
  }
  foldedState = ((<u64>(at - from)) << STATE_BITS) | done;
  return finishedWord(word, n, at < to);
}

let character: u32 = 0;
let characterLength: u32 = 0;

/**
 * How far the character at `at` lies from the one that it is folded to; 0 if it stays, or if it is none. Sets
 * `character` and `characterLength` of those that do not stay.
 */
function distanceAt(at: usize, to: usize, table: usize): i32 {
  const lead: u32 = load<u8>(at);
  const left = to - at;
  const second: u32 = left > 1 ? <u32>load<u8>(at, 1) ^ 0x80 : 0xff;
  if (lead < 0xc2 || lead > 0xf0 || second > 0x3f) return 0;
  if (lead < 0xe0) {
    characterLength = 2;
    character = ((lead & 0x1f) << 6) | second;
  } else {
    const third: u32 = left > 2 ? <u32>load<u8>(at, 2) ^ 0x80 : 0xff;
    if (third > 0x3f) return 0;
    characterLength = 3;
    character = ((lead & 0xf) << 12) | (second << 6) | third;
    if (lead === 0xf0) {
      const fourth: u32 = left > 3 ? <u32>load<u8>(at, 3) ^ 0x80 : 0xff;
      if (fourth > 0x3f) return 0;
      characterLength = 4;
      character = (character << 6) | fourth;
    }
    // Longer than the character needs: no UTF-8.
    if (character < (lead === 0xf0 ? <u32>0x10000 : <u32>0x800)) return 0;
  }
  if (character >= CODE_POINTS) return 0;
  const page: usize = load<u8>(table + (character >> PAGE_BITS));
  const place: usize = (page << PAGE_BITS) | (character & ((1 << PAGE_BITS) - 1));
  return load<i32>(table + PAGES + (place << 2));
}

let encodedLength: u32 = 0;

/** The bytes of a character in UTF-8, the last one lowest. */
function encode(code: u32): u32 {
  encodedLength = 1;
  if (code < 0x80) return code;
  const last = 0x80 | (code & 0x3f);
  encodedLength = 2;
  if (code < 0x800) return ((0xc0 | (code >> 6)) << 8) | last;
  const third = ((0x80 | ((code >> 6) & 0x3f)) << 8) | last;
  encodedLength = 3;
  if (code < 0x10000) return ((0xe0 | (code >> 12)) << 16) | third;
  encodedLength = 4;
  return ((0xf0 | (code >> 18)) << 24) | ((0x80 | ((code >> 12) & 0x3f)) << 16) | third;
}
