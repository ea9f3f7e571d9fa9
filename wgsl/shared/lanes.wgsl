#if lanes/32
// Sets of lanes of a subgroup, for subgroups of at most 32 lanes.

#import lane_set
#enable subgroups
#constant SUBGROUP_SIZE

const ALL_LANES: Lanes = 0xffffffffu >> (32u - SUBGROUP_SIZE);

// The lanes on which `is_set` is true.
fn ballot(is_set: bool) -> Lanes {
  return subgroupBallot(is_set).x;
}

// Leaves of such lanes those that subgroup operations see together: all.
fn lanes_of_part(lanes: Lanes, lane: u32) -> Lanes {
  return lanes;
}

// The lanes of a whole ballot.
fn ballot_count(lanes: vec4u) -> u32 {
  return countOneBits(lanes.x);
}

#elif lanes/64
// Sets of lanes of a subgroup of 64 lanes.

#import lane_set
#enable subgroups

const ALL_LANES: Lanes = vec2u(0xffffffffu);

// The lanes on which `is_set` is true.
fn ballot(is_set: bool) -> Lanes {
  return subgroupBallot(is_set).xy;
}

// Leaves of such lanes those that subgroup operations see together: all.
fn lanes_of_part(lanes: Lanes, lane: u32) -> Lanes {
  return lanes;
}

// The lanes of a whole ballot.
fn ballot_count(lanes: vec4u) -> u32 {
  return countOneBits(lanes.x) + countOneBits(lanes.y);
}

#elif lanes/any_32
// Sets of lanes of a group of at most 32 invocations, for subgroups of any size: see subgroup/any.wgsl.

#import lane_set
#import subgroup/any
#enable subgroups

const ALL_LANES: Lanes = 0xffffffffu;

// The lanes of the device's subgroup on which `is_set` is true, in the word that has the invocation's own lane.
fn ballot(is_set: bool) -> Lanes {
  let lanes = subgroupBallot(is_set);
  return select(lanes.x, lanes.y, hardware_lane >= 32u);
}

// Leaves of such lanes those that are in the same part of the group as the invocation, as lanes of the group.
fn lanes_of_part(lanes: Lanes, lane: u32) -> Lanes {
  let starts = 0xffffffffu << part_bits;
  let part = lanes >> (hardware_lane & starts & 31u);
  return ((part & (0xffffffffu >> (32u - (1u << part_bits)))) << (lane & starts)) | (1u << lane);
}

// The lanes of a whole ballot.
fn ballot_count(lanes: vec4u) -> u32 {
  let counts = countOneBits(lanes);
  return counts.x + counts.y + counts.z + counts.w;
}

#elif lanes/any_64
// Sets of lanes of a group of 64 invocations, for subgroups of any size: see subgroup/any.wgsl.

#import lane_set
#import subgroup/any
#enable subgroups

const ALL_LANES: Lanes = vec2u(0xffffffffu);

// The lanes of the device's subgroup on which `is_set` is true, in the half that has the invocation's own lane.
fn ballot(is_set: bool) -> Lanes {
  let lanes = subgroupBallot(is_set);
  return select(lanes.xy, lanes.zw, hardware_lane >= 64u);
}

// Leaves of such lanes those that are in the same part of the group as the invocation, as lanes of the group.
fn lanes_of_part(lanes: Lanes, lane: u32) -> Lanes {
  if part_bits == 6u { return lanes; }
  let starts = 0xffffffffu << part_bits;
  let word = select(lanes.x, lanes.y, (hardware_lane & 32u) != 0u);
  let part = (word >> (hardware_lane & starts & 31u)) & (0xffffffffu >> (32u - (1u << part_bits)));
  let own = (part << (lane & starts & 31u)) | (1u << (lane & 31u));
  return select(vec2u(own, 0u), vec2u(0u, own), lane >= 32u);
}

// The lanes of a whole ballot.
fn ballot_count(lanes: vec4u) -> u32 {
  let counts = countOneBits(lanes);
  return counts.x + counts.y + counts.z + counts.w;
}

#end
