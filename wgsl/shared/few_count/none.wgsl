// For a pass that counts digits alone.

fn counts_few() -> bool {
  return false;
}

fn count_few(column: u32, invocation: u32) {
}
