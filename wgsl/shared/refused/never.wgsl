// For a sort by the most significant digit first that begins without a sample.

fn is_refused(fits: u32) -> bool {
  return false;
}
