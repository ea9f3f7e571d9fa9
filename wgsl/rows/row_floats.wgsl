#if row_floats/some
// Some keys are floating-point numbers: the first number of a key as a double, by the syntax of strtod, but for
// hexadecimal numbers: as assembly/rows/floats.ts and assembly/text/decimal_to_double.ts, which name the
// methods. Numbers of 64 bits are two words, the lower one first.

#import row_text
#import row_order
#import row_value
#import wide_numbers

const LEAST_POWER = -342i;
const MOST_POWER = 308i;
const MOST_DIGITS = 19u;
const HUGE_EXPONENT = 1i << 20u;
const SIGN = 0x80000000u;
const INFINITY = vec2u(0u, 0x7ff00000u);

// Below these bits of the first product, the second word of the power may matter.
const UNSURE_BITS = 0x1ffu;

// No number, and NaN: they go before all numbers.
const NO_NUMBER = vec2u(0u, 0u);
const NAN = vec2u(1u, 0u);

const LETTER_E = 101u;
const LETTER_X = 120u;
const LETTER_Y = 121u;
const LETTERS_INF = 0x696e66u;
const LETTERS_NAN = 0x6e616eu;
const LETTERS_INIT = 0x696e6974u;

// The product of two numbers of 64 bits: 128 bits.
fn wide_product(a: vec2u, b: vec2u) -> vec4u {
  let low = product(a.x, b.x);
  let left = sum(product(a.y, b.x), vec2u(low.y, 0u));
  let right = sum(product(a.x, b.y), vec2u(left.x, 0u));
  let high = sum(sum(product(a.y, b.y), vec2u(left.y, 0u)), vec2u(right.y, 0u));
  return vec4u(low.x, right.x, high);
}

// `by`: at most 63.
fn shifted_left(number: vec2u, by: u32) -> vec2u {
  let source = select(number, vec2u(0u, number.x), by >= 32u);
  let left = by & 31u;
  return vec2u(source.x << left, (source.y << left) | ((source.x >> 1u) >> (31u - left)));
}

fn shifted_right(number: vec2u, by: u32) -> vec2u {
  let source = select(number, vec2u(number.y, 0u), by >= 32u);
  let left = by & 31u;
  return vec2u((source.x >> left) | ((source.y << 1u) << (31u - left)), source.y >> left);
}

// Half of a number, rounded up.
fn rounded_half(number: vec2u) -> vec2u {
  return shifted_right(sum(number, vec2u(number.x & 1u, 0u)), 1u);
}

// `number` times 10^`exponent`, as the bits of the nearest double; infinity if it is too large.
fn double_bits(number: vec2u, exponent: i32) -> vec2u {
  if all(number == vec2u()) || exponent < LEAST_POWER { return vec2u(); }
  if exponent > MOST_POWER { return INFINITY; }
  let shift = select(countLeadingZeros(number.y), 32u + countLeadingZeros(number.x), number.y == 0u);
  let normal = shifted_left(number, shift);
  let row = order[POWERS] + 4u * u32(exponent - LEAST_POWER);
  var lower = vec2u();
  var upper = vec2u();
  for (var word = 0u; word < 4u; word += 2u) {
    let part = wide_product(normal, vec2u(order[row + word], order[row + word + 1u]));
    if word == 0u {
      lower = part.xy;
      upper = part.zw;
      if (upper.x & UNSURE_BITS) != UNSURE_BITS { break; }
    } else {
      lower = sum(lower, part.zw);
      let carries = lower.y < part.w || (lower.y == part.w && lower.x < part.z);
      upper = sum(upper, vec2u(u32(carries), 0u));
    }
  }
  let top = upper.y >> 31u;
  let cut = top + 9u;
  var significand = shifted_right(upper, cut);
  var biased = ((exponent * 1741647) >> 19u) + 63 + i32(top) - i32(shift) + 1023;
  if biased <= 0 {
    if biased <= -63 { return vec2u(); }
    return rounded_half(shifted_right(significand, u32(1 - biased)));
  }
  // Exactly between two doubles, which only few powers allow: to the even one.
  let may_be = lower.y == 0u && lower.x <= 1u && exponent >= -4 && exponent <= 23 && (significand.x & 3u) == 1u;
  if may_be && all(shifted_left(significand, cut) == upper) { significand.x -= 1u; }
  significand = rounded_half(significand);
  if significand.y >= 0x200000u {
    significand = vec2u(0u, 0x100000u);
    biased += 1;
  }
  if biased >= 0x7ff { return INFINITY; }
  return vec2u(significand.x, (significand.y & 0xfffffu) | (u32(biased) << 20u));
}

struct Float {
  bits: vec2u,    // without its sign
  after: u32,     // the position after it
  is_read: bool,  // whether there is a number
}

// A decimal number with an exponent. Digits beyond the first 19 are cut off.
fn take_float(start: u32, end: u32) -> Float {
  var number = vec2u();
  var digits = 0u;
  var scale = 0i;
  var has_point = false;
  var has_digits = false;
  var at = start;
  var goes_on = true;
  while goes_on && at < end {
    let byte = byte_at(at);
    if is_digit(byte) {
      has_digits = true;
      if digits < MOST_DIGITS {
        number = with_digit(number, byte - ZERO);
        digits += u32(any(number != vec2u()));
        scale -= i32(has_point);
      } else {
        scale += i32(!has_point);
      }
    } else {
      goes_on = byte == POINT && !has_point;
      has_point = true;
    }
    at += u32(goes_on);
  }
  if !has_digits { return Float(vec2u(), start, false); }
  let marks = next_bytes(at, end);
  if ((marks >> 24u) | LOWER_CASE) == LETTER_E {
    let sign = (marks >> 16u) & 0xffu;
    let is_negative = sign == MINUS;
    let first = at + select(1u, 2u, is_negative || sign == PLUS);
    var next = first;
    var exponent = 0i;
    while next < end {
      let digit = byte_at(next) - ZERO;
      if digit > 9u { break; }
      if exponent < HUGE_EXPONENT { exponent = exponent * 10 + i32(digit); }
      next += 1u;
    }
    if next > first {
      scale += select(exponent, -exponent, is_negative);
      at = next;
    }
  }
  return Float(double_bits(number, scale), at, true);
}

// A word whose order is the order of `sort -g`: keys without a number, NaNs, numbers. NaN is no value of a
// column.
fn float_value(start: u32, end: u32) -> Value {
  var at = start;
  while at < end {
    let byte = byte_at(at);
    if !is_blank(byte) && byte - 10u >= 4u { break; }
    at += 1u;
  }
  let sign = next_bytes(at, end) >> 24u;
  let is_negative = sign == MINUS;
  at += u32(is_negative || sign == PLUS);
  let bytes = next_bytes(at, end);
  let lower = bytes | 0x20202020u;
  if (lower >> 8u) == LETTERS_NAN { return Value(NAN, false, false, false, end); }
  if (bytes >> 24u) == ZERO && ((lower >> 16u) & 0xffu) == LETTER_X && at + 2u < end {
    return Value(NO_NUMBER, false, true, false, end);
  }
  var float = Float(INFINITY, at + 3u, true);
  if (lower >> 8u) == LETTERS_INF {
    let is_long = (next_bytes(at + 3u, end) | 0x20202020u) == LETTERS_INIT;
    if is_long && ((next_bytes(at + 7u, end) >> 24u) | LOWER_CASE) == LETTER_Y { float.after = at + 8u; }
  } else {
    float = take_float(at, end);
  }
  if !float.is_read { return Value(NO_NUMBER, false, false, false, end); }
  var word = vec2u(float.bits.x, float.bits.y | SIGN);
  if is_negative && any(float.bits != vec2u()) { word = ~word; } // -0 is 0
  return Value(word, false, false, true, float.after);
}

#else
// No key is a floating-point number.

#import row_value

fn float_value(start: u32, end: u32) -> Value {
  return Value(vec2u(), false, false, false, end);
}

#end
