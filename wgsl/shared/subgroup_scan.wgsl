#if subgroup_scan/any
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

#elif subgroup_scan/known
// An exclusive prefix sum over the invocations of a workgroup, by subgroup operations. Invocations must be
// numbered subgroup by subgroup, SUBGROUP_SIZE in each.

#enable subgroups
#constant WORKGROUP_SIZE  // a multiple of SUBGROUP_SIZE
#constant SUBGROUP_SIZE

const SUBGROUPS_SUMMED = WORKGROUP_SIZE / SUBGROUP_SIZE;

// So few subgroups' sums are added up one by one: an exchange between lanes makes a local sort take 2% longer.
const SERIAL_SUBGROUPS = 8u;

var<workgroup> subgroup_sums: array<u32, SUBGROUPS_SUMMED>;

// Returns the sum of the values of all invocations before this one. All invocations of the workgroup must
// call it. Between two calls there must be a barrier.
fn exclusive_sum(value: u32, invocation: u32) -> u32 {
  let lane = invocation % SUBGROUP_SIZE;
  let subgroup = invocation / SUBGROUP_SIZE;
  let within = subgroupExclusiveAdd(value);
  if lane == SUBGROUP_SIZE - 1u { subgroup_sums[subgroup] = within + value; }
  workgroupBarrier();
  var before = 0u;
  if SUBGROUPS_SUMMED > SERIAL_SUBGROUPS && SUBGROUPS_SUMMED <= SUBGROUP_SIZE {
    // Each subgroup adds up the sums of all subgroups, one per lane.
    var sum = 0u;
    if lane < SUBGROUPS_SUMMED { sum = subgroup_sums[lane]; }
    before = subgroupShuffle(subgroupExclusiveAdd(sum), subgroup);
  } else {
    for (var i = 0u; i < subgroup; i++) { before += subgroup_sums[i]; }
  }
  return before + within;
}

#end
