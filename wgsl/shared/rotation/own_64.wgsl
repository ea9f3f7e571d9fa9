// For a count pass that has found the bits itself that all keys of two words share: see shared_64.wgsl.

#import key
#import shared_bits/64
#import own_bits_64
#family msd

fn rotated(ordered: Key) -> Key {
  return rotate(ordered, own_bits.count);
}

// The ordered form of a rotated key.
fn unrotated(moved: Key) -> Key {
  return rotate(moved, 64u - own_bits.count);
}

// The number of bits that have been rotated to the bottom.
fn rotated_bits() -> u32 {
  return own_bits.count;
}
