// Dates and times of ISO 8601 as words: 1e-7 seconds since a day before the year 0, in UTC. Days are counted as
// in H. Hinnant, "chrono-compatible low-level date algorithms", 2021.

import { LOWER_CASE, MINUS, PLUS, POINT, SPACE, ZERO } from "../text/constants";
import { skipBlanks } from "./fields";

const COMMA: u32 = 44;
const COLON: u32 = 58;
const LETTER_T: u32 = 116;
const LETTER_Z: u32 = 122;

/** A word of a date differs from those of no date. */
const MARK: u64 = 1 << 63;

/** Digits of a second's fraction in the first word. */
const FRACTION_DIGITS: u32 = 7;
const TICKS: u64 = 10_000_000;

const DAY: i64 = 86_400;

/** After `dateWord`: where the digits are that the word does not hold; 0 if it holds all. */
export let finerDigits: usize = 0;

let at: usize = 0;
let last: usize = 0;

function byteAt(place: usize): u32 {
  return place < last ? load<u8>(place) : 0;
}

function isDigitAt(place: usize): bool {
  return byteAt(place) - ZERO <= 9;
}

/** Takes a number of a length in digits. @returns -1 if they are not there. */
function take(digits: u32): i32 {
  let number: i32 = 0;
  for (let i: u32 = 0; i < digits; i++) {
    const digit = byteAt(at) - ZERO;
    if (digit > 9) return -1;
    number = number * 10 + <i32>digit;
    at++;
  }
  return number;
}

/** Takes a byte if it comes next. */
function takeByte(byte: u32): bool {
  if (byteAt(at) !== byte) return false;
  at++;
  return true;
}

function isLeap(year: i32): bool {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysOf(year: i32, month: i32): i32 {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/**
 * Days since the last day of February of the year -1: years begin in March, so that February is their last
 * month.
 */
function daysBefore(year: i32, month: i32, day: i32): i32 {
  const ofMarch = month > 2 ? year : year - 1;
  const months = month > 2 ? month - 3 : month + 9;
  const leaps = ofMarch < 0 ? 0 : ofMarch / 4 - ofMarch / 100 + ofMarch / 400 + 1;
  return ofMarch * 365 + 365 + leaps + (153 * months + 2) / 5 + day;
}

/** Whether the time that was taken last has seconds, and so may have a fraction of one. */
let hasSecond: bool = false;

/** Takes a time after its day. @returns its seconds; -1 if it is none. */
function takeTime(extended: bool): i32 {
  const hour = take(2);
  if (hour < 0 || (extended && !takeByte(COLON))) return -1;
  const minute = take(2);
  let second: i32 = 0;
  hasSecond = extended ? takeByte(COLON) : isDigitAt(at);
  if (hasSecond) second = take(2);
  if (minute < 0 || minute > 59 || second < 0 || second > 60 || hour > 24) return -1; // 60 is a leap second
  if (hour === 24 && minute + second > 0) return -1;
  return hour * 3600 + minute * 60 + second;
}

/** Takes the digits of a fraction that the word holds, and leaves out the others. @returns its ticks. */
function takeFraction(): u64 {
  let ticks: u64 = 0;
  let digits: u32 = 0;
  for (; isDigitAt(at) && digits < FRACTION_DIGITS; digits++) ticks = ticks * 10 + (byteAt(at++) - ZERO);
  for (; digits < FRACTION_DIGITS; digits++) ticks *= 10;
  finerDigits = at;
  let isFiner = false;
  for (; isDigitAt(at); at++) isFiner = isFiner || byteAt(at) !== ZERO;
  if (!isFiner) finerDigits = 0;
  return ticks;
}

/** Seconds that the time of a zone is ahead of UTC. */
let ahead: i32 = 0;

/** Takes a zone; none means UTC. @returns whether it is right. */
function takeZone(): bool {
  ahead = 0;
  if (byteAt(at) === SPACE) at++;
  if ((byteAt(at) | LOWER_CASE) === LETTER_Z) {
    at++;
    return true;
  }
  const sign = byteAt(at);
  if (sign !== PLUS && sign !== MINUS) return true;
  at++;
  const hours = take(2);
  let minutes: i32 = 0;
  if (takeByte(COLON) || isDigitAt(at)) minutes = take(2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return false;
  ahead = hours * 3600 + minutes * 60;
  if (sign === MINUS) ahead = -ahead;
  return true;
}

/**
 * The word of a date: of a day, a month, or a day with a time, in the extended or the basic form.
 *
 * @returns 0 if it is none.
 */
export function dateWord(start: usize, end: usize): u64 {
  finerDigits = 0;
  const word = readDate(start, end);
  if (word === 0) finerDigits = 0; // what follows the fraction may not be a zone
  return word;
}

function readDate(start: usize, end: usize): u64 {
  at = skipBlanks(start, end);
  last = end;
  const year = take(4);
  if (year < 0) return 0;
  const extended = takeByte(MINUS);
  const month = take(2);
  if (month < 1 || month > 12) return 0;
  let day: i32 = 1;
  let seconds: i32 = 0;
  let ticks: u64 = 0;
  ahead = 0;
  if (extended ? takeByte(MINUS) : true) {
    day = take(2);
    if (day < 1 || day > daysOf(year, month)) return 0;
    const separator = byteAt(at);
    const hasTime = (separator | LOWER_CASE) === LETTER_T || (separator === SPACE && isDigitAt(at + 1));
    if (hasTime) {
      at++;
      seconds = takeTime(extended);
      if (seconds < 0) return 0;
      if (hasSecond && (byteAt(at) === POINT || byteAt(at) === COMMA)) {
        at++;
        if (!isDigitAt(at)) return 0;
        ticks = takeFraction();
      }
      if (!takeZone()) return 0;
    }
  }
  if (skipBlanks(at, end) !== end) return 0;
  const utc = <i64>daysBefore(year, month, day) * DAY + seconds - ahead;
  return MARK | (<u64>utc * TICKS + ticks);
}
