// What ranks the keys of a tile by one digit in subgroups: see rank.wgsl. Each subgroup has one counter per
// digit value, so there are at least SUBGROUPS * DIGITS: first the number of its keys, then the slot of the
// next one. A subgroup here is a group of SUBGROUP_SIZE neighbouring invocations; the slot "subgroup" says what
// the device's subgroups may be.

#import digit
#import tile
#import subgroup
#enable subgroups
#constant WORKGROUP_SIZE       // at least DIGITS
#constant SUBGROUP_SIZE        // divides DIGITS
#constant SUBGROUPS            // WORKGROUP_SIZE / SUBGROUP_SIZE
#constant DIGIT_BITS
#constant KEYS_PER_INVOCATION  // keys that an invocation holds in registers
#constant LOCKSTEP             // 1 if a test found that the device's subgroups run in lockstep

// Sets of lanes of a subgroup, or of the group of invocations that is treated as one: see subgroup.wgsl.
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
const ALL_LANES: Lanes = 0xffffffffu >> (32u - SUBGROUP_SIZE);

// The lanes on which `is_set` is true.
fn ballot(is_set: bool) -> Lanes {
  return subgroupBallot(is_set).x;
}

// Those of such lanes that subgroup operations see together: all of them.
fn lanes_of_part(lanes: Lanes, lane: u32) -> Lanes {
  return lanes;
}
#elif subgroup/any
const ALL_LANES: Lanes = 0xffffffffu;

// The lanes of the device's subgroup on which `is_set` is true, in the word that has the invocation's own lane.
fn ballot(is_set: bool) -> Lanes {
  let lanes = subgroupBallot(is_set);
  return select(lanes.x, lanes.y, hardware_lane >= 32u);
}

// Those of such lanes that are in the invocation's part of the group, as lanes of the group.
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

// The place in the tile of the first key that an invocation loads. Its other keys follow at distances of
// SUBGROUP_SIZE.
fn first_slot(invocation: u32) -> u32 {
  return (invocation / SUBGROUP_SIZE) * SUBGROUP_SIZE * KEYS_PER_INVOCATION + invocation % SUBGROUP_SIZE;
}

// The counter of an invocation's subgroup for the first digit value.
fn first_counter(invocation: u32) -> u32 {
  return (invocation / SUBGROUP_SIZE) * DIGITS;
}

// Must be called before each ranking.
fn clear_counters(invocation: u32) {
  for (var i = invocation; i < SUBGROUPS * DIGITS; i += WORKGROUP_SIZE) { atomicStore(&counters[i], 0u); }
  workgroupBarrier();
}

// Counts an invocation's keys of a tile, also those past the last key. The counters must have been cleared.
fn count_keys(keys: ptr<function, TileKeys>, shift: u32, mask: u32, invocation: u32) {
  let own = first_counter(invocation);
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    atomicAdd(&counters[own + moved_digit((*keys)[i], shift, mask)], 1u);
  }
}

// How many keys with a digit value all subgroups have counted.
fn counted_keys(digit: u32) -> u32 {
  var sum = 0u;
  #unroll
  for (var i = 0u; i < SUBGROUPS; i++) {
    sum += atomicLoad(&counters[i * DIGITS + digit]);
  }
  return sum;
}

// Replaces each subgroup's count of a digit value by the slot of its first key; `first` is the tile's first.
fn place_counters(digit: u32, first: u32) {
  var slot = first;
  #unroll
  for (var i = 0u; i < SUBGROUPS; i++) {
    let keys_here = atomicLoad(&counters[i * DIGITS + digit]);
    atomicStore(&counters[i * DIGITS + digit], slot);
    slot += keys_here;
  }
}

// Returns the peers of an invocation: the lanes of its subgroup with the same digit value, itself included.
fn peers_of(digit: u32, lane: u32) -> Lanes {
  var peers = ALL_LANES;
  #unroll
  for (var bit = 0u; bit < DIGIT_BITS; bit++) {
    let is_set = (digit & (1u << bit)) != 0u;
    let lanes = ballot(is_set);
    peers &= select(~lanes, lanes, is_set);
  }
  return lanes_of_part(peers, lane);
}

// Takes the next slot of a digit value for a key of each invocation of the subgroup, in their order. `turns`
// is what `start_subgroups` returned. All invocations of the workgroup must call it.
fn next_slot(digit: u32, invocation: u32, turns: u32) -> u32 {
  let lane = invocation % SUBGROUP_SIZE;
  let peers = peers_of(digit, lane);
  let counter = first_counter(invocation) + digit;
  let lower = lane_count(peers & lanes_below(lane));
  // In lockstep, all peers read their counter before the last peer changes it. WGSL does not guarantee that,
  // so src/core/engines/lockstep.ts tests it. Without lockstep, the first peer changes the counter and
  // broadcasts its old value to the others.
  if LOCKSTEP == 1u {
    let slot = atomicLoad(&counters[counter]) + lower;
    if is_empty(peers & lanes_above(lane)) { atomicStore(&counters[counter], slot + 1u); }
    // Keeps writes inside the tile if the device does not run in lockstep after all. Keys are then lost, which
    // the check of the result detects.
    return min(slot, TILE - 1u);
  }
  let leader = first_lane(peers);
  var slot = 0u;
  if TAKES_TURNS {
    // The parts of a group share its counters, and the keys of the first part come first.
    for (var turn = 0u; turn < turns; turn++) {
      if lane == leader && turn == turn_of(invocation) {
        slot = atomicAdd(&counters[counter], lane_count(peers));
      }
      if turns > 1u { workgroupBarrier(); }
    }
  } else if lane == leader {
    slot = atomicAdd(&counters[counter], lane_count(peers));
  }
  return value_of_lane(slot, leader, lane) + lower;
}
