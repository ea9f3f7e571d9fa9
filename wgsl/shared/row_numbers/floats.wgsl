// Keys that are numbers: some are compared as floating-point numbers.

#import row_order
#import row_decimals
#import row_floats

fn number_word(key: u32, stage: u32, start: u32, end: u32) -> KeyWord {
  if of_key(key, COMPARISON) != COMPARES_FLOATS { return decimal_word(stage, start, end); }
  return float_word(start, end, of_key(key, INVALID) != 0u);
}

// Whether a key is a number.
//
// `read`: its first word.
fn is_number(key: u32, read: KeyWord, start: u32, end: u32) -> bool {
  if of_key(key, COMPARISON) != COMPARES_FLOATS { return is_decimal(start, end); }
  return read.word.y != 0u; // nor NaN, which is a small word too
}
