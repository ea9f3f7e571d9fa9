// No key is a decimal number.

#import row_value

fn decimal_value(key: u32, stage: u32, start: u32, end: u32) -> Value {
  return Value(vec2u(), false, false, false, end);
}
