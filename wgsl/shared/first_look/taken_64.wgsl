// A workgroup finds the topmost bits that a sample of keys of two words shares: see taken_32.wgsl.

#import shared_bits/64
#import own_bits_64
#import sample_difference
#constant LOOKED_BITS  // number of the binding
#family msd

@group(0) @binding(LOOKED_BITS) var<storage, read_write> found_bits: SharedBits;

// All invocations must call it.
fn look_first(column: u32, invocation: u32) {
  let first = looked_at(0u);
  let differing = sample_difference(first, invocation);
  own_bits = bits_shared(differing.x, differing.y, first);
  // Equal samples do not tell in which bits other keys differ.
  if all(differing == vec2u()) { own_bits = SharedBits(0u, first ^ first, first ^ first); }
  if column == 0u && invocation == 0u { found_bits = own_bits; }
}
