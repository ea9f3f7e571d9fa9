// No key is a floating-point number.

#import row_value

fn float_value(start: u32, end: u32) -> Value {
  return Value(vec2u(), false, false, false, end);
}
