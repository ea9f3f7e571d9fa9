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
