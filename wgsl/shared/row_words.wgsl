// A key as words of 64 bits: the order of the first words that differ is the order of the keys. The first word is
// that of assembly/rows/words.ts, which explains it; the others are found again from the begin of the key.

#import row_text
#import row_order
#import row_fields

const WORD_BYTES = 7u;
const MORE_BYTES = 8u;
const WORD_DIGITS = 19u;
const FIRST_DIGITS = 17u;
const MANY_DIGITS = 63u;
const MINUS = 45u;
const POINT = 46u;
const ZERO = 48u;

struct KeyWord {
  word: vec2u,  // low and high
  more: bool,   // whether further words of this key may differ
}

// A mask of the first bytes of a big-endian word.
fn first_bytes(count: u32) -> u32 {
  if count == 0u { return 0u; }
  return 0xffffffffu << (32u - 8u * min(count, 4u));
}

// Seven bytes and how many these are, with 8 for more.
fn bytes_word(start: u32, to: u32) -> vec2u {
  if start >= to { return vec2u(); }
  let length = to - start;
  let high = bytes_at(start);
  let low = bytes_at(start + 4u);
  if length > WORD_BYTES { return vec2u((low & 0xffffff00u) | MORE_BYTES, high); }
  return vec2u((low & first_bytes(max(length, 4u) - 4u)) | length, high & first_bytes(length));
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
  var first = skip_blanks(start, end);
  let negative = first < end && byte_at(first) == MINUS;
  if negative { first += 1u; }
  while first < end && byte_at(first) == ZERO { first += 1u; }
  if negative && !is_nonzero(first, end, false) {
    return KeyWord(vec2u(0u, select(0u, 0x80000000u, stage == 0u)), false); // -0 is 0
  }
  let length = skip_digits(first, min(end, first + MANY_DIGITS)) - first;
  let many = length >= MANY_DIGITS;
  var word = vec2u();
  var more = false;
  if many && stage < 2u {
    more = true;
    if stage == 1u { word.x = skip_digits(first, end) - first; }
  } else {
    let before = select(FIRST_DIGITS, 0u, many);
    let skipped = select(before + WORD_DIGITS * (max(stage, 1u) - 1u), 0u, stage == 0u);
    let passed = select(skipped, WORD_DIGITS * (max(stage, 2u) - 2u), many);
    let digits = take_digits(first, end, passed, select(WORD_DIGITS, FIRST_DIGITS, stage == 0u));
    word = digits.number;
    more = is_nonzero(digits.after, end, digits.point);
  }
  if stage == 0u { word.y |= 0x80000000u | (length << 25u); }
  if negative { word = ~word; }
  return KeyWord(word, more);
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

// A word of a key of the row from `begin` to `end`.
//
// `stage`: how many words of the key come before. `prefix`: bytes that all keys have in common; they are left out.
fn key_word(key: u32, stage: u32, prefix: u32, begin: u32, end: u32) -> KeyWord {
  let found = find_key(key, begin, end);
  let flip = vec2u(flip_of(key));
  if of_key(key, COMPARISON) == COMPARES_BYTES {
    let word = bytes_word(found.begin + prefix + WORD_BYTES * stage, found.end);
    return KeyWord(word ^ flip, (word.x & 0xffu) == MORE_BYTES);
  }
  let invalid = of_key(key, INVALID);
  if invalid != 0u && !is_decimal(found.begin, found.end) {
    if stage > 0u { return KeyWord(flip, false); }
    return KeyWord(vec2u(select(0xffffffffu, 0u, invalid == INVALID_FIRST)), false);
  }
  var decimal = decimal_word(stage, found.begin, found.end);
  decimal.word ^= flip;
  return decimal;
}
