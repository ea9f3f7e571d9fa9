// Subgroups of SUBGROUP_SIZE invocations on every device that the kernel is made for, numbered in the order of
// their invocations. any.wgsl has the same functions for other devices.

#enable subgroups

// Whether some invocations of SUBGROUP_SIZE neighbours may have to wait for others: see any.wgsl.
const TAKES_TURNS = false;

// Must be called before all other functions of this module. Returns the number of turns.
fn start_subgroups(invocation: u32) -> u32 {
  return 1u;
}

// The turn of an invocation.
fn turn_of(invocation: u32) -> u32 {
  return 0u;
}

// Returns the value of another invocation of the same subgroup, or of the invocation itself.
fn value_of_lane(value: u32, source: u32, own: u32) -> u32 {
  return subgroupShuffle(value, source);
}
