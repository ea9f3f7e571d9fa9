// The subgroups of a workgroup, and an exclusive prefix sum over its invocations by subgroup operations.
//
// Of a device that has subgroups of one size, SUBGROUP_SIZE is that size, and a subgroup has neighbouring
// invocations in their order ("known"). Other devices ("any") choose a size for each kernel, which is known
// only when it runs. A kernel then treats every SUBGROUP_SIZE neighbouring invocations as one subgroup, its
// group, whatever the device does:
// - Wider subgroups have several groups, and each group looks at its own lanes only.
// - Narrower subgroups share a group. They take turns where the order of their invocations matters.
// - If the invocations of a subgroup are not neighbours in the order of its lanes, each invocation counts as a
//   subgroup of its own.
// So a kernel is right on every device, and fast where SUBGROUP_SIZE is at most the size that the driver chose.

#enable subgroups
#constant WORKGROUP_SIZE  // a multiple of SUBGROUP_SIZE
#constant SUBGROUP_SIZE   // a power of two, at most 64

#if subgroup/known
// Whether some invocations of SUBGROUP_SIZE neighbours may have to wait for others.
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
#elif subgroup/any
const TAKES_TURNS = true;
// In wider subgroups, each invocation counts as a subgroup of its own: a ballot would need more words.
const WIDEST = select(64u, 128u, SUBGROUP_SIZE > 32u);

// Log2 of the number of neighbouring invocations, a part of a group, for which subgroup operations can be used.
// Equal in all invocations of a workgroup.
var<private> part_bits: u32;
// The number of the invocation in its subgroup of the device.
var<private> hardware_lane: u32;

var<workgroup> smallest_part: atomic<u32>;
var<workgroup> agreed_part: u32;

// The lowest `count` of 128 lanes.
fn lowest_lanes(count: u32) -> vec4u {
  let begins = vec4u(0u, 32u, 64u, 96u);
  let here = min(max(vec4u(count), begins) - begins, vec4u(32u));
  return select((vec4u(1u) << (here & vec4u(31u))) - vec4u(1u), vec4u(0xffffffffu), here == vec4u(32u));
}

// Must be called before all other functions of this module, by all invocations of the workgroup. Returns the
// number of parts of a group, which take turns.
fn start_subgroups(invocation: u32) -> u32 {
  let present = subgroupBallot(true);
  let counts = countOneBits(present);
  let size = counts.x + counts.y + counts.z + counts.w;
  hardware_lane = invocation % size;
  // If lane i holds the i-th of `size` neighbouring invocations, each reads its own number from its lane.
  let is_first = subgroupBroadcastFirst(invocation) == invocation - hardware_lane;
  let is_own = subgroupShuffle(invocation, hardware_lane) == invocation;
  let is_whole = (size & (size - 1u)) == 0u && size <= WIDEST && all(present == lowest_lanes(size));
  let part = select(1u, size, is_first && is_own && is_whole);

  if invocation == 0u { atomicStore(&smallest_part, SUBGROUP_SIZE); }
  workgroupBarrier();
  if part < SUBGROUP_SIZE { atomicMin(&smallest_part, part); }
  workgroupBarrier();
  if invocation == 0u { agreed_part = atomicLoad(&smallest_part); }
  let agreed = workgroupUniformLoad(&agreed_part);
  part_bits = countTrailingZeros(agreed);
  return SUBGROUP_SIZE / agreed;
}

fn turn_of(invocation: u32) -> u32 {
  return (invocation % SUBGROUP_SIZE) >> part_bits;
}

// Returns the value of another invocation of the same part, or of the invocation itself. Lanes are numbered
// within the group.
fn value_of_lane(value: u32, source: u32, own: u32) -> u32 {
  let read = subgroupShuffle(value, hardware_lane + source - own);
  return select(read, value, source == own);
}

// The sum of each part.
var<workgroup> part_sums: array<u32, WORKGROUP_SIZE>;

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
#end
