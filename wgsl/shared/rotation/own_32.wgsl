// For a count pass that has found the bits itself that all keys of one word share: see shared_32.wgsl.

#import key
#import shared_bits/32
#import own_bits_32
#family msd

fn rotated(ordered: Key) -> Key {
  return rotate(ordered, own_bits.count);
}

// The ordered form of a rotated key.
fn unrotated(moved: Key) -> Key {
  return rotate(moved, 32u - own_bits.count);
}

// The number of bits that have been rotated to the bottom.
fn rotated_bits() -> u32 {
  return own_bits.count;
}
