// Words of 64 bits, the lower half first, that stand for keys which are not compared byte by byte.

#import row_text

const WORD_DIGITS = 19u;
const PLUS = 43u;
const MINUS = 45u;
const POINT = 46u;
const ZERO = 48u;
const LOWER_CASE = 0x20u;

struct Value {
  word: vec2u,
  more: bool,      // whether further words of this key may differ
  unread: bool,    // whether it is a number of a form that is not read here
  is_value: bool,  // whether the key begins with what it must be
  after: u32,      // where only blanks may follow
}

fn is_digit(byte: u32) -> bool {
  return byte - ZERO <= 9u;
}

// Ten times a number of 64 bits, and a digit.
fn with_digit(number: vec2u, digit: u32) -> vec2u {
  let low = (number.x & 0xffffu) * 10u + digit;
  let middle = (number.x >> 16u) * 10u + (low >> 16u);
  return vec2u((middle << 16u) | (low & 0xffffu), number.y * 10u + (middle >> 16u));
}

// The next four bytes of a key, the first one in the highest bits, with zeros after its end.
fn next_bytes(at: u32, end: u32) -> u32 {
  if at >= end { return 0u; }
  return bytes_at(at) & first_bytes(end - at);
}

#if row_months/some
// Some keys are names of months: the first three letters, in either case.

const MONTH_COUNT = 12u;
const MONTHS = array<u32, MONTH_COUNT>(
  0x4a414eu, 0x464542u, 0x4d4152u, 0x415052u, 0x4d4159u, 0x4a554eu,  // JAN to JUN
  0x4a554cu, 0x415547u, 0x534550u, 0x4f4354u, 0x4e4f56u, 0x444543u,
);
const WITHOUT_CASE = 0xdfdfdfu;

// 0 for none, then January to December.
fn month_value(start: u32, end: u32) -> Value {
  let letters = (next_bytes(start, end) >> 8u) & WITHOUT_CASE;
  var month = 0u;
  for (var i = 0u; i < MONTH_COUNT; i++) {
    if MONTHS[i] == letters { month = i + 1u; }
  }
  return Value(vec2u(month, 0u), false, false, month != 0u, end);
}

#else
// No key is the name of a month.

fn month_value(start: u32, end: u32) -> Value {
  return Value(vec2u(), false, false, false, end);
}

#end
