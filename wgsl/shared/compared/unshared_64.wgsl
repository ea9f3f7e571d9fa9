// What is compared of keys of two words are the bits below those that all keys share. msd_sample.wgsl has found
// these, and radix_count.wgsl has seen that no key has others.

#import key
#import shared_bits/64
#import found_bits_64

// What is compared of a key in its ordered form.
fn compared(ordered: Key) -> Key {
  return without_shared(ordered, shared_bits.count);
}

// The number of the topmost bits that are left out.
fn shared_bit_count() -> u32 {
  return shared_bits.count;
}
