#if row_decimals/plain
// Some keys are decimal numbers, without units.

#import row_value
#import row_decimal

const FIRST_DIGITS = 17u;
const FIRST_BITS = 25u;

fn decimal_value(key: u32, stage: u32, start: u32, end: u32) -> Value {
  return decimal_word(stage, take_decimal(stage, start, end, FIRST_DIGITS), 0u, FIRST_BITS);
}

#elif row_decimals/units
// Some keys are numbers with a unit, such as 4K, as in assembly/rows/words.ts: the unit goes before the number.
// Others may be decimal numbers without one.

#import row_text
#import row_order
#import row_value
#import row_decimal

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

#import row_value

fn decimal_value(key: u32, stage: u32, start: u32, end: u32) -> Value {
  return Value(vec2u(), false, false, false, end);
}

#end
