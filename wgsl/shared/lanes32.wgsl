// Sets of the lanes of a subgroup of up to 32. Needs the constant SUBGROUP_SIZE.

alias Lanes = u32;

const ALL_LANES: Lanes = 0xffffffffu >> (32u - SUBGROUP_SIZE);

fn ballot(is_set: bool) -> Lanes {
  return subgroupBallot(is_set).x;
}

fn lanes_below(lane: u32) -> Lanes {
  return (1u << lane) - 1u;
}

fn lanes_above(lane: u32) -> Lanes {
  return ~(lanes_below(lane) | (1u << lane));
}

fn first_lane(lanes: Lanes) -> u32 {
  return firstTrailingBit(lanes);
}

fn lane_count(lanes: Lanes) -> u32 {
  return countOneBits(lanes);
}

fn is_empty(lanes: Lanes) -> bool {
  return lanes == 0u;
}
