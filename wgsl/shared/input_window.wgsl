#if input_window/window
// Only a window of the input is bound.

#import radix_pass

// The index of key `at` in the binding.
fn bound_at(at: u32) -> u32 {
  return at - params.input_begin;
}

#else
// The whole input is bound.

// The index of key `at` in the binding.
fn bound_at(at: u32) -> u32 {
  return at;
}

#end
