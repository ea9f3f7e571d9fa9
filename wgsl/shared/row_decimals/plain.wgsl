// Some keys are decimal numbers, without units.

#import row_value
#import row_decimal

const FIRST_DIGITS = 17u;
const FIRST_BITS = 25u;

fn decimal_value(key: u32, stage: u32, start: u32, end: u32) -> Value {
  return decimal_word(stage, take_decimal(stage, start, end, FIRST_DIGITS), 0u, FIRST_BITS);
}

#default
// No key is a decimal number.

#import row_value

fn decimal_value(key: u32, stage: u32, start: u32, end: u32) -> Value {
  return Value(vec2u(), false, false, false, end);
}
