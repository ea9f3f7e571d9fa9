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
