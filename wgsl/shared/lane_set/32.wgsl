// A set of at most 32 lanes: a word with one bit per lane.

alias Lanes = u32;

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
