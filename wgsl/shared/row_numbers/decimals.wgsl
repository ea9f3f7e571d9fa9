// Keys that are numbers: all of them are compared as decimal numbers.

#import row_decimals

fn number_word(key: u32, stage: u32, start: u32, end: u32) -> KeyWord {
  return decimal_word(stage, start, end);
}

// Whether a key is a number.
//
// `read`: its first word.
fn is_number(key: u32, read: KeyWord, start: u32, end: u32) -> bool {
  return is_decimal(start, end);
}
