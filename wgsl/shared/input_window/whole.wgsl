// The whole input is bound.

// The index of key `at` in the binding.
fn bound_at(at: u32) -> u32 {
  return at;
}
