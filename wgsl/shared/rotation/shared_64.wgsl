// Keys of two words move without the topmost bits that all of them share: see shared_32.wgsl.

#import key
#import shared_bits/64
#import found_bits_64

fn rotated(ordered: Key) -> Key {
  return rotate(ordered, shared_bits.count);
}

// The ordered form of a rotated key.
fn unrotated(moved: Key) -> Key {
  return rotate(moved, 64u - shared_bits.count);
}

// The number of bits that have been rotated to the bottom.
fn rotated_bits() -> u32 {
  return shared_bits.count;
}
