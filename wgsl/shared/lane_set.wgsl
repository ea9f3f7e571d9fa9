#if lane_set/32
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

#elif lane_set/64
// A set of at most 64 lanes: two words with one bit per lane.

alias Lanes = vec2u;

fn lanes_below(lane: u32) -> Lanes {
  let bits = (1u << (lane & 31u)) - 1u;
  return select(vec2u(bits, 0u), vec2u(0xffffffffu, bits), lane >= 32u);
}

fn lanes_above(lane: u32) -> Lanes {
  let own = 1u << (lane & 31u);
  return ~(lanes_below(lane) | select(vec2u(own, 0u), vec2u(0u, own), lane >= 32u));
}

// The lowest lane of a set that is not empty.
fn first_lane(lanes: Lanes) -> u32 {
  return select(firstTrailingBit(lanes.x), 32u + firstTrailingBit(lanes.y), lanes.x == 0u);
}

fn lane_count(lanes: Lanes) -> u32 {
  return countOneBits(lanes.x) + countOneBits(lanes.y);
}

fn is_empty(lanes: Lanes) -> bool {
  return (lanes.x | lanes.y) == 0u;
}

#end
