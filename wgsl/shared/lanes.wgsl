// Sets of lanes of a subgroup, or of the group of invocations that is treated as one: see subgroup.wgsl.

#enable subgroups

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

#if subgroup/known
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
#elif subgroup/any
#import subgroup

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
#end
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

const ALL_LANES: Lanes = vec2u(0xffffffffu);

#if subgroup/known
fn ballot(is_set: bool) -> Lanes {
  return subgroupBallot(is_set).xy;
}

fn lanes_of_part(lanes: Lanes, lane: u32) -> Lanes {
  return lanes;
}
#elif subgroup/any
#import subgroup

// The lanes of the device's subgroup on which `is_set` is true, in the half that has the invocation's own lane.
fn ballot(is_set: bool) -> Lanes {
  let lanes = subgroupBallot(is_set);
  return select(lanes.xy, lanes.zw, hardware_lane >= 64u);
}

fn lanes_of_part(lanes: Lanes, lane: u32) -> Lanes {
  if part_bits == 6u { return lanes; }
  let starts = 0xffffffffu << part_bits;
  let word = select(lanes.x, lanes.y, (hardware_lane & 32u) != 0u);
  let part = (word >> (hardware_lane & starts & 31u)) & (0xffffffffu >> (32u - (1u << part_bits)));
  let own = (part << (lane & starts & 31u)) | (1u << (lane & 31u));
  return select(vec2u(own, 0u), vec2u(0u, own), lane >= 32u);
}
#end
#end
