// Keys that are not compared byte by byte: numbers, numbers with units, months and dates.

#import row_order
#import row_decimals
#import row_numbers
#import row_units
#import row_months
#import row_dates

fn value_word(key: u32, stage: u32, start: u32, end: u32) -> KeyWord {
  switch of_key(key, COMPARISON) {
    case COMPARES_UNITS: { return human_word(key, stage, start, end); }
    case COMPARES_MONTHS: { return month_word(start, end); }
    case COMPARES_DATES: { return date_word(stage, start, end); }
    default: { return number_word(key, stage, start, end); }
  }
}

// Whether a key is what it must be. A further word of 0 has nothing to follow, so it does not matter then.
//
// `read`: a word of it.
fn is_value(key: u32, read: KeyWord, start: u32, end: u32) -> bool {
  let comparison = of_key(key, COMPARISON);
  if comparison == COMPARES_UNITS || comparison == COMPARES_MONTHS || comparison == COMPARES_DATES {
    return read.more || any(read.word != vec2u());
  }
  return is_number(key, read, start, end);
}
