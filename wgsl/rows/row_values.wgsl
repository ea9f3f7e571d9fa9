// Keys that are not compared byte by byte: decimal numbers, also with units, floating-point numbers, months and
// dates. Each kind is a slot, so that what no key needs is not compiled.

#import row_text
#import row_order
#import row_value
#import row_decimal
#import row_floats
#import row_dates

struct KeyWord {
  word: vec2u,
  more: bool,    // whether further words of this key may differ
  unread: bool,  // whether it is a number of a form that is not read here
  wrong: bool,   // whether the row is in error, without the key's field or with another value than it must be
}

// A word of what is in a key.
fn value_of(key: u32, stage: u32, start: u32, end: u32) -> Value {
  let first = skip_blanks(start, end);
  switch of_key(key, COMPARISON) {
    case COMPARES_FLOATS: { return float_value(first, end); }
    case COMPARES_MONTHS: { return month_value(first, end); }
    case COMPARES_DATES: { return date_value(stage, first, end); }
    default: { return decimal_value(key, stage, first, end); }
  }
}

// A word of a key from `start` to `end`. `stage`: how many words of the key come before. Rows whose value does
// not fit, or is a number of a form that is not read here, are left to the CPU.
fn value_word(key: u32, stage: u32, start: u32, end: u32) -> KeyWord {
  let flip = vec2u(flip_of(key));
  let value = value_of(key, stage, start, end);
  let invalid = of_key(key, INVALID) & INVALID_PLACES;
  if invalid != 0u && !(value.is_value && skip_blanks(value.after, end) == end) {
    let first = select(vec2u(0xfffffffeu, 0xffffffffu), vec2u(), invalid == INVALID_FIRST);
    let wrong = invalid == INVALID_REPORTED || skip_blanks(start, end) < end;
    return KeyWord(select(flip, first, stage == 0u), false, value.unread, wrong);
  }
  return KeyWord(value.word ^ flip, value.more, value.unread, false);
}
