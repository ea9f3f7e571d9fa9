// The topmost bits that all keys of two words share, as far as a sample tells: see 32.wgsl.

#import key

struct SharedBits {
  count: u32,
  mask: Key,   // has these bits set
  value: Key,  // what the keys have in these bits
}

// The topmost bits in which no key differs. `low` and `high` have the bits in which some keys differ.
fn bits_shared(low: u32, high: u32, key: Key) -> SharedBits {
  let count = countLeadingZeros(high) + select(0u, countLeadingZeros(low), high == 0u);
  let mask = Key(top_bits(max(count, 32u) - 32u), top_bits(min(count, 32u)));
  return SharedBits(count, mask, key & mask);
}

// A word whose topmost bits are set.
fn top_bits(count: u32) -> u32 {
  return select(~(0xffffffffu >> (count & 31u)), 0xffffffffu, count == 32u);
}

// Rotates a key by fewer than 64 bits: see 32.wgsl.
fn rotate(key: Key, bits: u32) -> Key {
  let up = bits & 31u;
  // A shift by 32 bits is written as two, since WGSL takes it modulo 32.
  let turned = (key << vec2u(up)) | ((key.yx >> vec2u(1u)) >> vec2u(31u - up));
  return select(turned, turned.yx, (bits & 32u) != 0u);
}

fn is_outlier(key: Key, bits: SharedBits) -> bool {
  return any((key & bits.mask) != bits.value);
}

// The word that has a key's topmost bits.
fn top_word(key: Key) -> u32 {
  return key.y;
}
