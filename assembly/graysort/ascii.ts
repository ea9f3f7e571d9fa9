import { firstRecord, makeNumbers, NUMBER_BYTES } from "./generator";
import { RECORD_BYTES } from "./record";

/** Records that are made at a time. */
const BLOCK: usize = 512;

/** The number of printable characters of ASCII, from the space on. */
const PRINTABLE: u64 = 95;
const SPACE: u64 = 0x20;

const TWO_SPACES: u16 = 0x2020;
const CRLF: u16 = 0x0a0d;

/**
 * Makes `n` records of text: a key of ten characters, the record's number, letters, and a line break.
 *
 * @param start where they begin: see generator.ts. It moves on.
 * @param prefixes what skewed keys begin with, six characters in eight bytes, by the bits of the record's
 *   number; 0 if no keys are skewed.
 * @param scratch room for random numbers.
 */
export function ascii(to: usize, n: usize, start: usize, prefixes: usize, scratch: usize): void {
  let number = firstRecord(start);
  for (let made: usize = 0; made < n; made += BLOCK) {
    const some = min<usize>(BLOCK, n - made);
    makeNumbers(start, scratch, some);
    for (let i: usize = 0; i < some; i++) {
      const random = scratch + i * NUMBER_BYTES;
      const low = bswap<u64>(load<u64>(random, 8));
      putDigits(to, bswap<u64>(load<u64>(random)), 8);
      putDigits(to + 8, low, 2);
      if (prefixes !== 0) skew(to, low, number, prefixes);
      store<u16>(to, TWO_SPACES, 10);
      putHexadecimal(to + 12, 0);
      putHexadecimal(to + 28, number);
      store<u16>(to, TWO_SPACES, 44);
      putFiller(to + 46, low);
      store<u16>(to, CRLF, 98);
      to += RECORD_BYTES;
      number++;
    }
  }
}

/** Writes the last digits of a number to the base 95, the last one first. */
function putDigits(to: usize, number: u64, digits: usize): void {
  for (const end = to + digits; to < end; to++) {
    const rest = number / PRINTABLE;
    store<u8>(to, <u8>(number - rest * PRINTABLE + SPACE));
    number = rest;
  }
}

/** Writes a number as 16 hexadecimal digits. */
function putHexadecimal(to: usize, number: u64): void {
  for (let shift: u64 = 64; shift > 0; to++) {
    shift -= 4;
    store<u8>(to, <u8>digit(<u32>(number >> shift) & 15));
  }
}

/** Writes the lowest 13 hexadecimal digits of a number, each four times. */
function putFiller(to: usize, number: u64): void {
  for (let shift: u64 = 52; shift > 0; to += 4) {
    shift -= 4;
    store<u32>(to, digit(<u32>(number >> shift) & 15) * 0x01010101);
  }
}

function digit(value: u32): u32 {
  return value + (value < 10 ? 0x30 : 0x41 - 10);
}

/** The most characters that a skewed key begins with. */
const MOST_CHARACTERS: u32 = 6;

/** Replaces the first characters of a key: as many as three bits of its random number say, but not seven. */
function skew(key: usize, low: u64, number: u64, prefixes: usize): void {
  const characters: u32 = <u32>(low >> 32) & 7;
  if (characters > MOST_CHARACTERS) return;
  const prefix = prefixes + (64 - <usize>clz<u64>(number)) * 8;
  for (let i: usize = 0; i < characters; i++) store<u8>(key + i, load<u8>(prefix + i));
}
