// The order of 64-bit keys: order32.wgsl with two words, y the more significant. Needs key64 and the constants
// ORDER (0 unsigned, 1 signed, 2 float) and DESCENDING (0 or 1).

const SIGN = 0x80000000u;
// The NaNs of negative sign: 2^52 - 1 of them.
const NEGATIVE_NANS_HIGH = 0x000fffffu;
const NEGATIVE_NANS_LOW = 0xffffffffu;
const FLIP = vec2u(select(0u, 0xffffffffu, DESCENDING == 1u));

fn to_ordered(key: Key) -> Key {
  if ORDER == 1u { return vec2u(key.x, key.y ^ SIGN) ^ FLIP; }
  if ORDER == 2u {
    let negative = key.y >= SIGN;
    let flipped = key ^ vec2u(select(0u, 0xffffffffu, negative), select(SIGN, 0xffffffffu, negative));
    let borrow = select(0u, 1u, flipped.x < NEGATIVE_NANS_LOW);
    return vec2u(flipped.x - NEGATIVE_NANS_LOW, flipped.y - NEGATIVE_NANS_HIGH - borrow) ^ FLIP;
  }
  return key ^ FLIP;
}

fn from_ordered(ordered: Key) -> Key {
  let image = ordered ^ FLIP;
  if ORDER == 1u { return vec2u(image.x, image.y ^ SIGN); }
  if ORDER == 2u {
    let low = image.x + NEGATIVE_NANS_LOW;
    let carry = select(0u, 1u, low < NEGATIVE_NANS_LOW);
    let flipped = vec2u(low, image.y + NEGATIVE_NANS_HIGH + carry);
    let negative = flipped.y < SIGN;
    return flipped ^ vec2u(select(0u, 0xffffffffu, negative), select(SIGN, 0xffffffffu, negative));
  }
  return image;
}

fn precedes(a: Key, b: Key) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}
