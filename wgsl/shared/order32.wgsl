// The order of keys of up to 32 bits. Needs key8, key16 or key32 and the constants KEY_BITS, ORDER (0 unsigned,
// 1 signed, 2 float, which takes 32 bits) and DESCENDING (0 or 1).
//
// `to_ordered` is a bijection onto unsigned integers that puts every key in its place: comparing the images
// compares the keys, and equal images are equal bits, so a NaN keeps its payload through any exchange.
// Floats: -infinity … -0, +0 … +infinity, NaNs with the sign bit clear, NaNs with it set. The usual trick
// (flip all bits of a negative, the sign bit of the rest) leaves the NaNs of negative sign lowest; there are
// 2^23 - 1 of them, and subtracting that number, modulo 2^32, turns them round to the top.

const ALL = 0xffffffffu >> (32u - KEY_BITS);
const SIGN = 1u << (KEY_BITS - 1u);
const NEGATIVE_NANS = 0x007fffffu;
const FLIP = select(0u, ALL, DESCENDING == 1u);

fn to_ordered(key: Key) -> Key {
  if ORDER == 1u { return (key ^ SIGN) ^ FLIP; }
  if ORDER == 2u { return ((key ^ select(SIGN, ALL, key >= SIGN)) - NEGATIVE_NANS) ^ FLIP; }
  return key ^ FLIP;
}

fn from_ordered(ordered: Key) -> Key {
  let image = ordered ^ FLIP;
  if ORDER == 1u { return image ^ SIGN; }
  if ORDER == 2u {
    let flipped = image + NEGATIVE_NANS;
    return flipped ^ select(ALL, SIGN, flipped >= SIGN);
  }
  return image;
}

fn precedes(a: Key, b: Key) -> bool {
  return a < b;
}
