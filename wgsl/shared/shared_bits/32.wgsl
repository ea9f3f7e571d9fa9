// The topmost bits that all keys of one word share, as far as a sample tells.

#import key

struct SharedBits {
  count: u32,
  mask: Key,   // has these bits set
  value: Key,  // what the keys have in these bits
}

// The topmost bits in which no key differs. `low` and `high` have the bits in which some keys differ.
fn bits_shared(low: u32, high: u32, key: Key) -> SharedBits {
  let count = countLeadingZeros(low);
  let mask = select(~(0xffffffffu >> (count & 31u)), 0xffffffffu, count == 32u);
  return SharedBits(count, mask, key & mask);
}

// Rotates a key towards its topmost bit. With the bits that all keys share at the bottom, their order is the same.
fn rotate(key: Key, bits: u32) -> Key {
  let up = bits & 31u;
  return (key << up) | (key >> ((32u - up) & 31u));
}

fn is_outlier(key: Key, bits: SharedBits) -> bool {
  return (key & bits.mask) != bits.value;
}

// The word that has a key's topmost bits.
fn top_word(key: Key) -> u32 {
  return key;
}
