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
