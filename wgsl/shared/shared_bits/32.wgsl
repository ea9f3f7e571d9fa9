// The topmost bits that all keys of one word share, as far as a sample tells (msd_sample.wgsl).

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

// The bits of a key below the shared ones, shifted up.
fn without_shared(key: Key, count: u32) -> Key {
  return key << (count & 31u);
}

fn is_outlier(key: Key, bits: SharedBits) -> bool {
  return (key & bits.mask) != bits.value;
}

// The word that has a key's topmost bits.
fn top_word(key: Key) -> u32 {
  return key;
}
