// Decimal numbers as words of 64 bits, as in assembly/rows/words.ts.

#import row_text
#import row_value

const MANY_DIGITS = 63u;
const LENGTH_BITS = 6u;

struct Decimal {
  digits: vec2u,      // those that the word holds
  more: bool,         // whether a digit after them is not 0
  is_negative: bool,
  is_zero: bool,
  has_digits: bool,
  length: u32,        // digits before the point, without zeros before them
  after: u32,         // the position after it
}

// Reads a number whose first word holds `first_digits` digits.
//
// Drivers take long to compile loops, so there is one: it passes zeros, takes the digits of the word, looks
// whether others follow, and completes the word with zeros. Of a number with very many digits other words hold
// other digits: once that is known, the loop begins again.
fn take_decimal(stage: u32, start: u32, end: u32, first_digits: u32) -> Decimal {
  var decimal = Decimal(vec2u(), false, false, true, false, 0u, start);
  decimal.is_negative = start < end && byte_at(start) == MINUS;
  let begin = start + u32(decimal.is_negative);
  decimal.after = begin;
  // The word holds the digits from `first` up to `last`.
  var first = select(first_digits + WORD_DIGITS * (max(stage, 1u) - 1u), 0u, stage == 0u);
  var last = first + select(WORD_DIGITS, first_digits, stage == 0u);
  var is_many = false;
  var point = false;
  var n = 0u;
  loop {
    var byte = 0u;
    if decimal.after < end { byte = byte_at(decimal.after); }
    var digit = byte - ZERO;
    let comes = digit <= 9u;
    if comes {
      decimal.has_digits = true;
      decimal.after += 1u;
    } else if byte == POINT && !point {
      point = true;
      decimal.after += 1u;
      continue;
    } else {
      n = max(n, first);
      if n >= last { break; }
      digit = 0u;
    }
    if comes && digit == 0u && n == 0u && !point { continue; }
    if n >= last {
      decimal.more = decimal.more || digit != 0u;
    } else if n >= first {
      decimal.digits = with_digit(decimal.digits, digit);
    }
    decimal.is_zero = decimal.is_zero && digit == 0u;
    n += 1u;
    if comes && !point {
      decimal.length = n;
      if n == MANY_DIGITS && !is_many {
        is_many = true;
        first = WORD_DIGITS * (max(stage, 2u) - 2u);
        last = select(first + WORD_DIGITS, 0u, stage < 2u);
        n = 0u;
        decimal.digits = vec2u();
        decimal.more = false;
        decimal.after = begin;
      }
    }
  }
  return decimal;
}

// The word of a number, with a unit that comes before the length. In the first word, `first_bits` bits of the
// upper half belong to digits.
fn decimal_word(stage: u32, decimal: Decimal, unit: u32, first_bits: u32) -> Value {
  let length = min(decimal.length, MANY_DIGITS);
  var word = decimal.digits;
  var more = decimal.more;
  if length == MANY_DIGITS && stage < 2u {
    word = vec2u(select(0u, decimal.length, stage == 1u), 0u);
    more = true;
  }
  if stage == 0u { word.y |= 0x80000000u | (((unit << LENGTH_BITS) | length) << first_bits); }
  if decimal.is_negative && !decimal.is_zero { word = ~word; } // -0 is 0
  return Value(word, more, false, decimal.has_digits, decimal.after);
}

#if row_decimals/plain
// Some keys are decimal numbers, without units.

const FIRST_DIGITS = 17u;
const FIRST_BITS = 25u;

fn decimal_value(key: u32, stage: u32, start: u32, end: u32) -> Value {
  return decimal_word(stage, take_decimal(stage, start, end, FIRST_DIGITS), 0u, FIRST_BITS);
}

#elif row_decimals/units
// Some keys are numbers with a unit, such as 4K, as in assembly/rows/words.ts: the unit goes before the number.
// Others may be decimal numbers without one.

#import row_order

const FIRST_DIGITS = 17u;
const FIRST_BITS = 25u;
const HUMAN_DIGITS = 15u;
const HUMAN_BITS = 18u;
const UNIT_COUNT = 10u;
const UNITS = array<u32, UNIT_COUNT>(75u, 77u, 71u, 84u, 80u, 69u, 90u, 89u, 82u, 81u);  // KMGTPEZYRQ
const LOWER_K = 107u;

// 1 for K, 2 for M, …; 0 for no unit.
fn unit_of(letter: u32) -> u32 {
  var unit = u32(letter == LOWER_K);
  for (var i = 0u; i < UNIT_COUNT; i++) {
    if UNITS[i] == letter { unit = i + 1u; }
  }
  return unit;
}

fn decimal_value(key: u32, stage: u32, start: u32, end: u32) -> Value {
  let is_human = of_key(key, COMPARISON) == COMPARES_UNITS;
  let decimal = take_decimal(stage, start, end, select(FIRST_DIGITS, HUMAN_DIGITS, is_human));
  var unit = 0u;
  if is_human && decimal.after < end && !decimal.is_zero {
    let table = of_key(key, TABLE);
    var letter = byte_at(decimal.after);
    if table != 0u { letter = order[table + letter]; }
    unit = unit_of(letter);
  }
  var value = decimal_word(stage, decimal, unit, select(FIRST_BITS, HUMAN_BITS, is_human));
  if is_human { // of which anything may follow, as of a number in the order of sort(1)
    value.is_value = true;
    value.after = end;
  }
  return value;
}

#else
// No key is a decimal number.

fn decimal_value(key: u32, stage: u32, start: u32, end: u32) -> Value {
  return Value(vec2u(), false, false, false, end);
}

#end
