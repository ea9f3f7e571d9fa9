// Decimal numbers as words of 64 bits, as in assembly/rows/words.ts.

#import row_text

const WORD_DIGITS = 19u;
const FIRST_DIGITS = 17u;
const FIRST_BITS = 25u;  // of these, in the upper word
const MANY_DIGITS = 63u;
const LENGTH_BITS = 6u;
const PLUS = 43u;
const MINUS = 45u;
const POINT = 46u;
const ZERO = 48u;

struct KeyWord {
  word: vec2u,   // low and high
  more: bool,    // whether further words of this key may differ
  unread: bool,  // whether it is a number of a form that is not read here
}

fn is_digit(byte: u32) -> bool {
  return byte - ZERO <= 9u;
}

fn skip_digits(start: u32, end: u32) -> u32 {
  var at = start;
  while at < end && is_digit(byte_at(at)) { at += 1u; }
  return at;
}

// Whether a digit of the rest of a number is not 0.
fn is_nonzero(start: u32, end: u32, point_passed: bool) -> bool {
  var point = point_passed;
  for (var at = start; at < end; at++) {
    let byte = byte_at(at);
    if byte == POINT && !point { point = true; continue; }
    if !is_digit(byte) { return false; }
    if byte != ZERO { return true; }
  }
  return false;
}

// Ten times a number of 64 bits, and a digit.
fn with_digit(number: vec2u, digit: u32) -> vec2u {
  let low = (number.x & 0xffffu) * 10u + digit;
  let middle = (number.x >> 16u) * 10u + (low >> 16u);
  return vec2u((middle << 16u) | (low & 0xffffu), number.y * 10u + (middle >> 16u));
}

struct Digits {
  number: vec2u,
  after: u32,   // the position after the last one
  point: bool,  // whether the decimal point was passed
}

// Digits of a number as a number, with zeros after the last one, after others that are passed.
fn take_digits(start: u32, end: u32, passed: u32, count: u32) -> Digits {
  var digits = Digits(vec2u(), start, false);
  let all = passed + count;
  var n = 0u;
  for (; digits.after < end && n < all; digits.after++) {
    let byte = byte_at(digits.after);
    if byte == POINT && !digits.point { digits.point = true; continue; }
    if !is_digit(byte) { break; }
    if n >= passed { digits.number = with_digit(digits.number, byte - ZERO); }
    n += 1u;
  }
  for (n = max(n, passed); n < all; n++) { digits.number = with_digit(digits.number, 0u); }
  return digits;
}

fn decimal_word(stage: u32, start: u32, end: u32) -> KeyWord {
  return unit_word(stage, start, end, 0u, FIRST_DIGITS, FIRST_BITS);
}

// The word of a number with a unit, which comes before the length. The first word holds `first_digits` digits, and
// `first_bits` of its upper half are theirs.
fn unit_word(stage: u32, start: u32, end: u32, unit: u32, first_digits: u32, first_bits: u32) -> KeyWord {
  var first = skip_blanks(start, end);
  let negative = first < end && byte_at(first) == MINUS;
  if negative { first += 1u; }
  while first < end && byte_at(first) == ZERO { first += 1u; }
  if negative && !is_nonzero(first, end, false) {
    return KeyWord(vec2u(0u, select(0u, 0x80000000u, stage == 0u)), false, false); // -0 is 0
  }
  let length = skip_digits(first, min(end, first + MANY_DIGITS)) - first;
  let many = length >= MANY_DIGITS;
  var word = vec2u();
  var more = false;
  if many && stage < 2u {
    more = true;
    if stage == 1u { word.x = skip_digits(first, end) - first; }
  } else {
    let before = select(first_digits, 0u, many);
    let skipped = select(before + WORD_DIGITS * (max(stage, 1u) - 1u), 0u, stage == 0u);
    let passed = select(skipped, WORD_DIGITS * (max(stage, 2u) - 2u), many);
    let digits = take_digits(first, end, passed, select(WORD_DIGITS, first_digits, stage == 0u));
    word = digits.number;
    more = is_nonzero(digits.after, end, digits.point);
  }
  if stage == 0u { word.y |= 0x80000000u | (((unit << LENGTH_BITS) | length) << first_bits); }
  if negative { word = ~word; }
  return KeyWord(word, more, false);
}

// Whether a key, but for blanks around it, is a decimal number.
fn is_decimal(start: u32, end: u32) -> bool {
  var first = skip_blanks(start, end);
  if first < end && byte_at(first) == MINUS { first += 1u; }
  let point = skip_digits(first, end);
  var last = point;
  var digits = point - first;
  if point < end && byte_at(point) == POINT {
    last = skip_digits(point + 1u, end);
    digits += last - point - 1u;
  }
  return digits > 0u && skip_blanks(last, end) == end;
}
