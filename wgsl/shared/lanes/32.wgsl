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
