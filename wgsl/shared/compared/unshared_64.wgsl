// What is compared of keys of two words are the bits below those that all keys share. msd_sample.wgsl has found
// these, and radix_count.wgsl has seen that no key has others.

#import key
#import shared_bits/64
#constant SHARED_BITS  // number of the binding

@group(0) @binding(SHARED_BITS) var<uniform> shared_bits: SharedBits;

// What is compared of a key in its ordered form.
fn compared(ordered: Key) -> Key {
  return without_shared(ordered, shared_bits.count);
}
