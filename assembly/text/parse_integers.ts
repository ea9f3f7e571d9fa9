import { MINUS, PLUS } from "./constants";
import { charactersAt, countDigits, digitsRead, numberOf, powerOfTen, upToSixteen } from "./digits";
import { nextLine, report, skipSpaces } from "./line";

/** The most digits that are parsed: more do not fit 64 bits, unless the first are zeros. */
const MOST_DIGITS: u32 = 20;

/** The largest number of 64 bits is 1844674407370955 with these four digits after it. */
const LARGEST_UPPER: u64 = 1844674407370955;
const LARGEST_LOWER: u64 = 1615;

/** Where the digits ended that `parseDigits` parsed; 0 if it parsed none. */
let digitsEnd: usize = 0;

/** Parses a number of 64 bits. */
function parseDigits(at: usize): u64 {
  const value = upToSixteen(at);
  digitsEnd = digitsRead === 0 ? 0 : at + digitsRead;
  if (digitsRead < 16) return value;
  const characters = charactersAt(at + 16);
  const n = countDigits(characters);
  digitsEnd += n;
  if (n === 0) return value;
  const lower = numberOf(characters, n);
  if (n + 16 >= MOST_DIGITS) {
    const fits = value < LARGEST_UPPER || (value === LARGEST_UPPER && lower <= LARGEST_LOWER);
    if (n + 16 > MOST_DIGITS || !fits) digitsEnd = 0;
  }
  return value * powerOfTen(n) + lower;
}

function storeInteger(at: usize, value: u64, bytes: u32): void {
  if (bytes === 8) store<u64>(at, value);
  else if (bytes === 4) store<u32>(at, <u32>value);
  else if (bytes === 2) store<u16>(at, <u16>value);
  else store<u8>(at, <u8>value);
}

/**
 * Parses the lines from `from` to `end`, one integer each, until one is not understood or does not fit.
 *
 * @param bytes the bytes of a key.
 */
export function parseIntegers(
  from: usize,
  end: usize,
  keys: usize,
  bytes: u32,
  signed: bool,
  skipsBlankLines: bool,
  done: usize,
): void {
  const most = <u64>-1 >> (64 - 8 * <u64>bytes);
  const mostPositive = signed ? most >> 1 : most;
  const mostNegative = signed ? (most >> 1) + 1 : 0;
  let at = from;
  let to = keys;
  let lines: u32 = 0;
  for (; at < end; lines++) {
    let start = skipSpaces(at);
    const sign = load<u8>(start);
    if (sign === MINUS || sign === PLUS) start++;
    let value = parseDigits(start);
    if (digitsEnd === 0) {
      const next = nextLine(at);
      if (next === 0 || !skipsBlankLines) break;
      at = next;
      continue;
    }
    const next = nextLine(digitsEnd);
    if (next === 0) break;
    if (sign === MINUS) {
      if (value > mostNegative) break;
      value = -value;
    } else if (value > mostPositive) break;
    storeInteger(to, value, bytes);
    to += bytes;
    at = next;
  }
  report(done, <u32>((to - keys) / bytes), lines, at - from);
}
