#if row_dates/some
// Some keys are dates and times of ISO 8601 as words, as in assembly/rows/dates.ts, which explains them.

#import row_text
#import row_value
#import wide_numbers

const SPACE = 32u;
const COMMA = 44u;
const COLON = 58u;
const LETTER_T = 116u;
const LETTER_Z = 122u;

const FRACTION_DIGITS = 7u;
const TICKS = 10000000u;
const DAY = 86400u;
const DATE_MARK = 0x80000000u;
const NO_DIGIT = 10u;

// Parts of a date, of two digits each.
const CENTURY = 0u;
const YEAR = 1u;
const MONTH = 2u;
const DAY_OF_MONTH = 3u;
const HOUR = 4u;
const MINUTE = 5u;
const SECOND = 6u;
const ZONE_HOUR = 7u;
const ZONE_MINUTE = 8u;

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

// What the digits of a second say.
struct Fraction {
  ticks: u32,     // the first ones
  digits: vec2u,  // those of a further word
  finer: bool,    // whether a digit after the first ones is not 0
  more: bool,     // whether a digit after those of the word is not 0
  after: u32,     // the position after the last one
}

// Takes the digits of a second. `stage`: the number of the word.
fn take_fraction(stage: u32, start: u32, end: u32) -> Fraction {
  var fraction = Fraction(0u, vec2u(), false, false, start);
  let last = FRACTION_DIGITS + WORD_DIGITS * stage;
  let first = select(last - WORD_DIGITS, 0u, stage == 0u);
  var n = 0u;
  loop {
    var digit = NO_DIGIT;
    if fraction.after < end { digit = byte_at(fraction.after) - ZERO; }
    if digit <= 9u {
      fraction.after += 1u;
    } else {
      n = max(n, first);
      if n >= last { break; }
      digit = 0u;
    }
    if n < FRACTION_DIGITS { fraction.ticks = fraction.ticks * 10u + digit; }
    if n >= FRACTION_DIGITS { fraction.finer = fraction.finer || digit != 0u; }
    if n >= first && n < last { fraction.digits = with_digit(fraction.digits, digit); }
    if n >= last { fraction.more = fraction.more || digit != 0u; }
    n += 1u;
  }
  return fraction;
}

// A date is read in a loop, two digits and what may follow them at a time, as drivers take long to compile code
// that reads each of its parts.
fn date_value(stage: u32, start: u32, end: u32) -> Value {
  var at = start;
  var fraction = Fraction();
  var extended = false;  // whether there are separators
  var year = 0u;
  var month = 0u;
  var day = 1u;
  var seconds = 0i;
  var zone = 0i;         // seconds that its time is ahead; none means UTC
  var behind = false;
  var is_date = true;
  var part = CENTURY;
  for (var goes_on = true; goes_on; part += 1u) {
    let bytes = next_bytes(at, end);
    let tens = (bytes >> 24u) - ZERO;
    let ones = ((bytes >> 16u) & 0xffu) - ZERO;
    let pair = 10u * tens + ones;
    let next = (bytes >> 8u) & 0xffu;
    is_date = tens <= 9u && ones <= 9u;
    at += 2u;
    var passes = false;  // whether `next` separates it from the next part
    var ends_time = false;
    switch part {
      case CENTURY: { year = 100u * pair; }
      case YEAR: {
        year += pair;
        extended = next == MINUS;
        passes = extended;
      }
      case MONTH: {
        month = pair;
        is_date = is_date && month - 1u < 12u;
        passes = extended && next == MINUS;
        goes_on = !extended || passes;
      }
      case DAY_OF_MONTH: {
        day = pair;
        is_date = is_date && day > 0u && day <= days_of(year, month);
        passes = (next | LOWER_CASE) == LETTER_T || (next == SPACE && is_digit(bytes & 0xffu));
        goes_on = passes;
      }
      case HOUR: {
        seconds = 3600 * i32(pair);
        passes = extended;
        is_date = is_date && (!extended || next == COLON);
      }
      case MINUTE: {
        seconds += 60 * i32(pair);
        passes = extended && next == COLON;
        ends_time = !passes && (extended || !is_digit(next));
        is_date = is_date && pair < 60u;
      }
      case SECOND: {
        seconds += i32(pair);
        passes = next == POINT || next == COMMA;
        ends_time = true;
        is_date = is_date && pair <= 60u;
      }
      case ZONE_HOUR: {
        zone = 3600 * i32(pair);
        passes = next == COLON;
        goes_on = passes || is_digit(next);
        is_date = is_date && pair < 24u;
      }
      default: {
        zone += 60 * i32(pair);
        goes_on = false;
        is_date = is_date && pair < 60u;
      }
    }
    at += u32(passes);
    if ends_time {
      is_date = is_date && u32(seconds) <= DAY; // 24:00 ends a day
      if part == SECOND && passes {
        fraction = take_fraction(stage, at, end);
        is_date = is_date && fraction.after > at;
        at = fraction.after;
      }
      var after = next_bytes(at, end);
      if (after >> 24u) == SPACE {
        at += 1u;
        after <<= 8u;
      }
      let sign = after >> 24u;
      behind = sign == MINUS;
      goes_on = behind || sign == PLUS;
      at += u32(goes_on || (sign | LOWER_CASE) == LETTER_Z);
      part = SECOND;
    }
    goes_on = goes_on && is_date;
  }
  if !is_date || skip_blanks(at, end) < end { return Value(vec2u(), false, false, false, end); }
  if stage > 0u {
    let digits = select(vec2u(), fraction.digits, fraction.finer);
    return Value(digits, fraction.more, false, true, end);
  }
  // A zone may be ahead by a day, and no day is the first one.
  let ahead = select(zone, -zone, behind);
  let all = sum(product(days_before(year, month, day) - 1u, DAY), vec2u(u32(i32(DAY) + seconds - ahead), 0u));
  var word = sum(product(all.x, TICKS), vec2u(fraction.ticks, all.y * TICKS));
  word.y |= DATE_MARK;
  return Value(word, fraction.finer, false, true, end);
}

#else
// No key is a date.

#import row_value

fn date_value(stage: u32, start: u32, end: u32) -> Value {
  return Value(vec2u(), false, false, false, end);
}

#end
