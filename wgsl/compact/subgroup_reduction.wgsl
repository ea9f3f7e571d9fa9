#if subgroup_reduction/all
// Sums and minima over subgroups of any size.

#enable subgroups

fn sum_of_subgroup(value: u32) -> u32 {
  return subgroupAdd(value);
}

fn least_of_subgroup(value: u32) -> u32 {
  return subgroupMin(value);
}

// True for one invocation of each subgroup.
fn speaks_for_subgroup() -> bool {
  return subgroupElect();
}

#else
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

#end
