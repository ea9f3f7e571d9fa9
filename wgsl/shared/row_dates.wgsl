// Dates and times of ISO 8601 as words, as in assembly/rows/dates.ts, which explains them.

#import row_text
#import row_decimals
#import wide_numbers

const SPACE = 32u;
const COMMA = 44u;
const COLON = 58u;
const LETTER_T = 116u;
const LETTER_Z = 122u;
const LOWER_CASE = 0x20u;

const FRACTION_DIGITS = 7u;
const TICKS = 10000000u;
const DAY = 86400u;
const DATE_MARK = 0x80000000u;

// More than any part of a date may be.
const NO_PAIR = 100u;
const NO_TIME = 0x7fffffffi;

struct Date {
  word: vec2u,  // 0 if it is none
  finer: u32,   // where the digits of a second are that the word does not hold
  more: bool,   // whether one of these is not 0
}

var<private> date_at: u32;
var<private> date_end: u32;
var<private> has_second: bool;  // of the time that was taken last

fn date_byte(at: u32) -> u32 {
  if at >= date_end { return 0u; }
  return byte_at(at);
}

// Takes two digits as a number. Returns NO_PAIR if they are not there.
fn take_pair() -> u32 {
  let tens = date_byte(date_at) - ZERO;
  let ones = date_byte(date_at + 1u) - ZERO;
  if tens > 9u || ones > 9u { return NO_PAIR; }
  date_at += 2u;
  return tens * 10u + ones;
}

// Takes a byte if it comes next.
fn take_byte(byte: u32) -> bool {
  let comes = date_byte(date_at) == byte;
  date_at += u32(comes);
  return comes;
}

fn days_of(year: u32, month: u32) -> u32 {
  if month == 2u { return select(28u, 29u, year % 4u == 0u && (year % 100u != 0u || year % 400u == 0u)); }
  return select(31u, 30u, month == 4u || month == 6u || month == 9u || month == 11u);
}

// Days since the last day of February of the year -1. Years begin in March.
fn days_before(year: u32, month: u32, day: u32) -> u32 {
  let years = year + u32(month > 2u);
  var leaps = 0u;
  if years > 0u { leaps = (years - 1u) / 4u - (years - 1u) / 100u + (years - 1u) / 400u + 1u; }
  return years * 365u + leaps + (153u * ((month + 9u) % 12u) + 2u) / 5u + day;
}

// Takes a time after its day. Returns its seconds; NO_TIME if it is none.
fn take_time(extended: bool) -> i32 {
  let hour = take_pair();
  if extended && !take_byte(COLON) { return NO_TIME; }
  let minute = take_pair();
  var second = 0u;
  has_second = is_digit(date_byte(date_at));
  if extended { has_second = take_byte(COLON); }
  if has_second { second = take_pair(); }
  if hour > 24u || minute > 59u || second > 60u { return NO_TIME; }
  if hour == 24u && minute + second > 0u { return NO_TIME; }
  return i32(hour * 3600u + minute * 60u + second);
}

// Takes a zone; none means UTC. Returns the seconds that its time is ahead; NO_TIME if it is wrong.
fn take_zone() -> i32 {
  if date_byte(date_at) == SPACE { date_at += 1u; }
  let sign = date_byte(date_at);
  if (sign | LOWER_CASE) == LETTER_Z {
    date_at += 1u;
    return 0;
  }
  if sign != PLUS && sign != MINUS { return 0; }
  date_at += 1u;
  let hours = take_pair();
  var minutes = 0u;
  if take_byte(COLON) || is_digit(date_byte(date_at)) { minutes = take_pair(); }
  if hours > 23u || minutes > 59u { return NO_TIME; }
  let ahead = i32(hours * 3600u + minutes * 60u);
  return select(ahead, -ahead, sign == MINUS);
}

fn take_date(start: u32, end: u32) -> Date {
  let none = Date(vec2u(), 0u, false);
  date_at = skip_blanks(start, end);
  date_end = end;
  let century = take_pair();
  let of_century = take_pair();
  if century == NO_PAIR || of_century == NO_PAIR { return none; }
  let year = 100u * century + of_century;
  let extended = take_byte(MINUS);
  let month = take_pair();
  if month - 1u > 11u { return none; }
  var date = none;
  var day = 1u;
  var seconds = 0i;
  var ticks = 0u;
  if !extended || take_byte(MINUS) {
    day = take_pair();
    if day == 0u || day > days_of(year, month) { return none; }
    let separator = date_byte(date_at);
    let has_digit = is_digit(date_byte(date_at + 1u));
    if (separator | LOWER_CASE) == LETTER_T || (separator == SPACE && has_digit) {
      date_at += 1u;
      seconds = take_time(extended);
      if seconds == NO_TIME { return none; }
      if has_second && (take_byte(POINT) || take_byte(COMMA)) {
        let first = date_at;
        for (var n = 0u; n < FRACTION_DIGITS; n++) {
          let digit = date_byte(date_at) - ZERO;
          ticks *= 10u;
          if digit <= 9u {
            ticks += digit;
            date_at += 1u;
          }
        }
        if date_at == first { return none; }
        date.finer = date_at;
        date.more = is_nonzero(date_at, end, true);
        date_at = skip_digits(date_at, end);
      }
      let ahead = take_zone();
      if ahead == NO_TIME { return none; }
      seconds -= ahead;
    }
  }
  if skip_blanks(date_at, end) < end { return none; }
  // A zone may be ahead by a day, and no day is the first one.
  let all = sum(product(days_before(year, month, day) - 1u, DAY), vec2u(u32(i32(DAY) + seconds), 0u));
  date.word = sum(product(all.x, TICKS), vec2u(ticks, all.y * TICKS));
  date.word.y |= DATE_MARK;
  return date;
}

fn date_word(stage: u32, start: u32, end: u32) -> KeyWord {
  let date = take_date(start, end);
  if stage == 0u { return KeyWord(date.word, date.more, false); }
  if !date.more { return KeyWord(vec2u(), false, false); }
  let digits = take_digits(date.finer, end, WORD_DIGITS * (stage - 1u), WORD_DIGITS);
  return KeyWord(digits.number, is_nonzero(digits.after, end, true), false);
}
