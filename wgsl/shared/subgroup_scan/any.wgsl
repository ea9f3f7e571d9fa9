// An exclusive prefix sum over the invocations of a workgroup, for subgroups of any size: see
// subgroup/any.wgsl.

#import subgroup/any
#enable subgroups
#constant WORKGROUP_SIZE

// The sum of each part.
var<workgroup> part_sums: array<u32, WORKGROUP_SIZE>;

// Returns the sum of the values of all invocations before this one. All invocations of the workgroup must
// call it. Between two calls there must be a barrier.
fn exclusive_sum(value: u32, invocation: u32) -> u32 {
  let lane = invocation & ((1u << part_bits) - 1u);
  let part = invocation >> part_bits;
  let before = subgroupExclusiveAdd(value);
  let before_part = subgroupShuffle(before, hardware_lane - lane);
  let within = select(before - before_part, 0u, part_bits == 0u);
  if lane + 1u == 1u << part_bits { part_sums[part] = within + value; }
  workgroupBarrier();
  var sum = within;
  for (var i = 0u; i < part; i++) { sum += part_sums[i]; }
  return sum;
}
