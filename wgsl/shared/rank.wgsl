// Ranks a tile of keys by one digit and exchanges them through workgroup memory into that order, stably.
//
// Needs a key, digit, and lanes32 or lanes64. Needs subgroups of SUBGROUP_SIZE invocations,
// numbered as the invocations are. Constants: WORKGROUP_SIZE (invocations, at least DIGITS), SUBGROUP_SIZE (DIGITS is
// a multiple), SUBGROUPS (the quotient of the two), TILE_KEYS (keys that an invocation holds), LOCKSTEP (see below).

const TILE = WORKGROUP_SIZE * TILE_KEYS;

alias TileKeys = array<Key, TILE_KEYS>;
alias TileWords = array<u32, TILE_KEYS>;

// A subgroup's keys of each digit: first how many, then the slot of the next.
var<workgroup> counters: array<atomic<u32>, SUBGROUPS * DIGITS>;
var<workgroup> slots: array<Key, TILE>;
var<workgroup> sums: array<u32, DIGITS / SUBGROUP_SIZE>;

// The first of an invocation's slots before the ranking; the others follow at distances of SUBGROUP_SIZE.
fn first_slot(invocation: u32) -> u32 {
  return (invocation / SUBGROUP_SIZE) * SUBGROUP_SIZE * TILE_KEYS + invocation % SUBGROUP_SIZE;
}

// The sum of the values of the invocations before this one, up to DIGITS of them. All must call it.
fn sum_before(value: u32, invocation: u32) -> u32 {
  let lane = invocation % SUBGROUP_SIZE;
  let subgroup = invocation / SUBGROUP_SIZE;
  var sum = 0u;
  if invocation < DIGITS {
    sum = subgroupExclusiveAdd(value);
    if lane == SUBGROUP_SIZE - 1u { sums[subgroup] = sum + value; }
  }
  workgroupBarrier();
  if invocation < DIGITS {
    for (var i = 0u; i < subgroup; i++) { sum += sums[i]; }
  }
  return sum;
}

// The lanes of the subgroup whose digit is the same.
fn peers_of(digit: u32) -> Lanes {
  var peers = ALL_LANES;
  for (var bit = 0u; bit < DIGIT_BITS; bit++) { // unroll
    let is_set = (digit & (1u << bit)) != 0u;
    let lanes = ballot(is_set);
    peers &= select(~lanes, lanes, is_set);
  }
  return peers;
}

// How many keys of the tile have the digit that is the invocation's number, and how many have a lesser one.
struct DigitCount {
  count: u32,
  before: u32,
}

// To be called before each ranking.
fn clear_counters(invocation: u32) {
  for (var i = invocation; i < SUBGROUPS * DIGITS; i += WORKGROUP_SIZE) { atomicStore(&counters[i], 0u); }
  workgroupBarrier();
}

// Leaves the images in `slots`, for whoever waits at the next barrier, and their slots in `ranks`.
fn rank_tile(
  images: ptr<function, TileKeys>,
  ranks: ptr<function, TileWords>,
  shift: u32,
  mask: u32,
  invocation: u32,
) -> DigitCount {
  let lane = invocation % SUBGROUP_SIZE;
  let below = lanes_below(lane);
  let above = lanes_above(lane);
  let own = (invocation / SUBGROUP_SIZE) * DIGITS;

  for (var i = 0u; i < TILE_KEYS; i++) { // unroll
    atomicAdd(&counters[own + digit_at((*images)[i], shift, mask)], 1u);
  }
  workgroupBarrier();

  var digit = DigitCount(0u, 0u);
  if invocation < DIGITS {
    for (var i = 0u; i < SUBGROUPS; i++) { // unroll
      digit.count += atomicLoad(&counters[i * DIGITS + invocation]);
    }
  }
  digit.before = sum_before(digit.count, invocation);
  if invocation < DIGITS {
    var slot = digit.before;
    for (var i = 0u; i < SUBGROUPS; i++) { // unroll
      let keys_here = atomicLoad(&counters[i * DIGITS + invocation]);
      atomicStore(&counters[i * DIGITS + invocation], slot);
      slot += keys_here;
    }
  }
  workgroupBarrier();

  for (var i = 0u; i < TILE_KEYS; i++) { // unroll
    let image = (*images)[i];
    let key_digit = digit_at(image, shift, mask);
    let peers = peers_of(key_digit);
    let counter = own + key_digit;
    // In lockstep every lane reads its digit's counter before the last of its peers moves it on, which WGSL does not
    // promise: src/engines/lockstep.ts tries it out. Otherwise the first of the peers moves it and tells the rest.
    if LOCKSTEP == 1u {
      let slot = atomicLoad(&counters[counter]) + lane_count(peers & below);
      if is_empty(peers & above) { atomicStore(&counters[counter], slot + 1u); }
      let safe = min(slot, TILE - 1u); // a wrong guess costs keys, which the check finds, but no other memory
      slots[safe] = image;
      (*ranks)[i] = safe;
    } else {
      let leader = first_lane(peers);
      var slot = 0u;
      if lane == leader { slot = atomicAdd(&counters[counter], lane_count(peers)); }
      slot = subgroupShuffle(slot, leader) + lane_count(peers & below);
      slots[slot] = image;
      (*ranks)[i] = slot;
    }
  }
  return digit;
}

// Values follow their keys through the same memory, once the keys have left it: a tile is as long as one of keys alone.
// For whoever waits at the next barrier.
fn stage_values(values: ptr<function, TileWords>, ranks: ptr<function, TileWords>) {
  workgroupBarrier();
  for (var i = 0u; i < TILE_KEYS; i++) { // unroll
    slots[(*ranks)[i]] = value_as_key((*values)[i]);
  }
}

fn staged_value(slot: u32) -> u32 {
  return key_as_value(slots[slot]);
}
