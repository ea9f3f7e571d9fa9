// Sets of lanes of a subgroup, for subgroups of at most 32 lanes. A set is a word with one bit per lane.

#enable subgroups
#constant SUBGROUP_SIZE

alias Lanes = u32;

const ALL_LANES: Lanes = 0xffffffffu >> (32u - SUBGROUP_SIZE);

// The lanes on which `is_set` is true.
fn ballot(is_set: bool) -> Lanes {
  return subgroupBallot(is_set).x;
}

fn lanes_below(lane: u32) -> Lanes {
  return (1u << lane) - 1u;
}

fn lanes_above(lane: u32) -> Lanes {
  return ~(lanes_below(lane) | (1u << lane));
}

// The lowest lane of a set that is not empty.
fn first_lane(lanes: Lanes) -> u32 {
  return firstTrailingBit(lanes);
}

fn lane_count(lanes: Lanes) -> u32 {
  return countOneBits(lanes);
}

fn is_empty(lanes: Lanes) -> bool {
  return lanes == 0u;
}
