// Keys of one word move without the topmost bits that all of them share: these are rotated to the bottom, where
// they change no order. So the kernel knows the place of each digit when it is compiled. msd_sample.wgsl or
// radix_count.wgsl has found the bits, and the latter has seen that no key has others.

#import key
#import shared_bits/32
#import found_bits_32

fn rotated(ordered: Key) -> Key {
  return rotate(ordered, shared_bits.count);
}

// The ordered form of a rotated key.
fn unrotated(moved: Key) -> Key {
  return rotate(moved, 32u - shared_bits.count);
}

// The number of bits that have been rotated to the bottom.
fn rotated_bits() -> u32 {
  return shared_bits.count;
}
