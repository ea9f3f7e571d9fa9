// No key is a date.

#import row_value

fn date_value(stage: u32, start: u32, end: u32) -> Value {
  return Value(vec2u(), false, false, false, end);
}
