// What is compared of 32-bit floats are the bits below those that all keys share, and all NaNs are equal: see
// unshared_32.wgsl and nans_equal_32.wgsl. If all ordered forms share some bits, no number has the outermost form
// below these that stands for NaNs, unless there are no NaNs.

#import key
#import shared_bits/32
#import found_bits_32
#import nan_form_32

// What is compared of a key in its ordered form.
fn compared(ordered: Key) -> Key {
  return without_shared(nan_form(ordered), shared_bits.count);
}

// The number of the topmost bits that are left out.
fn shared_bit_count() -> u32 {
  return shared_bits.count;
}
