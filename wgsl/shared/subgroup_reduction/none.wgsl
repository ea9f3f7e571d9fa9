// Devices without subgroup operations: each invocation counts as a subgroup of its own.

fn sum_of_subgroup(value: u32) -> u32 {
  return value;
}

fn least_of_subgroup(value: u32) -> u32 {
  return value;
}

fn speaks_for_subgroup() -> bool {
  return true;
}
