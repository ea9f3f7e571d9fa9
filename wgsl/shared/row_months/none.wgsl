// No key is the name of a month.

#import row_value

fn month_value(start: u32, end: u32) -> Value {
  return Value(vec2u(), false, false, false, end);
}
