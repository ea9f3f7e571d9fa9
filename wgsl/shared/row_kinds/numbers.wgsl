// Keys that are not compared byte by byte: all of them are numbers.

#import row_decimals
#import row_numbers

fn value_word(key: u32, stage: u32, start: u32, end: u32) -> KeyWord {
  return number_word(key, stage, start, end);
}

// Whether a key is what it must be.
//
// `read`: its first word.
fn is_value(key: u32, read: KeyWord, start: u32, end: u32) -> bool {
  return is_number(key, read, start, end);
}
