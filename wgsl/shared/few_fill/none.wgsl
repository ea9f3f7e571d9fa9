// For a local sort that no count of values comes before.

fn fills_few() -> bool {
  return false;
}

fn fill_few(worker: u32, workgroups: u32, invocation: u32) {
}
