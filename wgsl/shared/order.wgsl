#if order/32
// The order of keys of up to 32 bits.
//
// `to_ordered` maps a key to its ordered form, an unsigned integer. The order of the ordered forms is the
// order of the keys. The map is a bijection, so keys with equal ordered forms have equal bits, and a NaN
// keeps its payload. Floats have this order: -infinity … -0, +0 … +infinity, NaNs with a clear sign bit, NaNs
// with a set sign bit. The usual method flips all bits of a negative number, and only the sign bit of other
// numbers. It puts the NaNs with a set sign bit lowest. There are 2^23 - 1 of them, or 2^10 - 1 of 16 bits.
// Subtracting this number, modulo 2^32 or 2^16, moves them to the top.

#import key
#constant KEY_BITS    // 8, 16 or 32
#constant ORDER       // 0 unsigned, 1 signed, 2 float (16 or 32 bits)
#constant DESCENDING  // 0 or 1

const ALL = 0xffffffffu >> (32u - KEY_BITS);
const SIGN = 1u << (KEY_BITS - 1u);
// The number of NaNs with a set sign bit.
const NEGATIVE_NANS = select(0x007fffffu, 0x03ffu, KEY_BITS == 16u);
// Flipping all bits reverses the order.
const FLIP = select(0u, ALL, DESCENDING == 1u);

#if bias/32
// What is added to a signed key: the sign bit, or less in a fallback (bias.wgsl).
var<private> bias: Key = SIGN;

fn with_bias(key: Key) -> Key {
  return key + bias;
}

fn without_bias(biased: Key) -> Key {
  return biased - bias;
}
#else
fn with_bias(key: Key) -> Key {
  return key ^ SIGN;
}

fn without_bias(biased: Key) -> Key {
  return biased ^ SIGN;
}
#end

// The ordered form of a key.
fn to_ordered(key: Key) -> Key {
  if ORDER == 1u { return with_bias(key) ^ FLIP; }
  if ORDER == 2u { return (((key ^ select(SIGN, ALL, key >= SIGN)) - NEGATIVE_NANS) & ALL) ^ FLIP; }
  return key ^ FLIP;
}

// The key with an ordered form.
fn from_ordered(ordered: Key) -> Key {
  let ascending = ordered ^ FLIP;
  if ORDER == 1u { return without_bias(ascending); }
  if ORDER == 2u {
    let flipped = (ascending + NEGATIVE_NANS) & ALL;
    return flipped ^ select(ALL, SIGN, flipped >= SIGN);
  }
  return ascending;
}

// Whether ordered form a is before ordered form b.
fn precedes(a: Key, b: Key) -> bool {
  return a < b;
}

// The key that comes first of two in their ordered form.
fn first_of(a: Key, b: Key) -> Key {
  return min(a, b);
}

// The key that comes last of two in their ordered form.
fn last_of(a: Key, b: Key) -> Key {
  return max(a, b);
}

// Shifts by fewer than 32 bits.
fn shift_up(key: Key, bits: u32) -> Key {
  return key << bits;
}

fn shift_down(key: Key, bits: u32) -> Key {
  return key >> bits;
}

// The key whose low word has some bits more.
fn with_low_bits(key: Key, bits: u32) -> Key {
  return key | bits;
}

#elif order/64
// The order of 64-bit keys. It is the same, but a key has two words; y is the more significant
// word.

#import key
#constant ORDER       // 0 unsigned, 1 signed, 2 float
#constant DESCENDING  // 0 or 1

const SIGN = 0x80000000u;
// The number of NaNs with a set sign bit: 2^52 - 1.
const NEGATIVE_NANS_HIGH = 0x000fffffu;
const NEGATIVE_NANS_LOW = 0xffffffffu;
// Flipping all bits reverses the order.
const FLIP = vec2u(select(0u, 0xffffffffu, DESCENDING == 1u));

#if bias/64
var<private> bias: Key = Key(0u, SIGN);

fn with_bias(key: Key) -> Key {
  let low = key.x + bias.x;
  return Key(low, key.y + bias.y + select(0u, 1u, low < key.x));
}

fn without_bias(biased: Key) -> Key {
  return Key(biased.x - bias.x, biased.y - bias.y - select(0u, 1u, biased.x < bias.x));
}
#else
fn with_bias(key: Key) -> Key {
  return Key(key.x, key.y ^ SIGN);
}

fn without_bias(biased: Key) -> Key {
  return Key(biased.x, biased.y ^ SIGN);
}
#end

// The ordered form of a key.
fn to_ordered(key: Key) -> Key {
  if ORDER == 1u { return with_bias(key) ^ FLIP; }
  if ORDER == 2u {
    let negative = key.y >= SIGN;
    let flipped = key ^ vec2u(select(0u, 0xffffffffu, negative), select(SIGN, 0xffffffffu, negative));
    let borrow = select(0u, 1u, flipped.x < NEGATIVE_NANS_LOW);
    return vec2u(flipped.x - NEGATIVE_NANS_LOW, flipped.y - NEGATIVE_NANS_HIGH - borrow) ^ FLIP;
  }
  return key ^ FLIP;
}

// The key with an ordered form.
fn from_ordered(ordered: Key) -> Key {
  let ascending = ordered ^ FLIP;
  if ORDER == 1u { return without_bias(ascending); }
  if ORDER == 2u {
    let low = ascending.x + NEGATIVE_NANS_LOW;
    let carry = select(0u, 1u, low < NEGATIVE_NANS_LOW);
    let flipped = vec2u(low, ascending.y + NEGATIVE_NANS_HIGH + carry);
    let negative = flipped.y < SIGN;
    return flipped ^ vec2u(select(0u, 0xffffffffu, negative), select(SIGN, 0xffffffffu, negative));
  }
  return ascending;
}

// Whether ordered form a is before ordered form b.
fn precedes(a: Key, b: Key) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}

// The key that comes first of two in their ordered form.
fn first_of(a: Key, b: Key) -> Key {
  return select(a, b, precedes(b, a));
}

// The key that comes last of two in their ordered form.
fn last_of(a: Key, b: Key) -> Key {
  return select(b, a, precedes(b, a));
}

// Shifts by fewer than 64 bits. A shift by 32 bits is written as two, since WGSL takes it modulo 32.
fn shift_up(key: Key, bits: u32) -> Key {
  let by = bits & 31u;
  let low = key.x << by;
  let high = (key.y << by) | ((key.x >> 1u) >> (31u - by));
  return select(Key(low, high), Key(0u, low), bits >= 32u);
}

fn shift_down(key: Key, bits: u32) -> Key {
  let by = bits & 31u;
  let high = key.y >> by;
  let low = (key.x >> by) | ((key.y << 1u) << (31u - by));
  return select(Key(low, high), Key(high, 0u), bits >= 32u);
}

// The key whose low word has some bits more.
fn with_low_bits(key: Key, bits: u32) -> Key {
  return vec2u(key.x | bits, key.y);
}

#end
