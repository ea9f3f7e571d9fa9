// Ranks the keys of a tile stably by one digit and exchanges them through workgroup memory into that order.
// Each subgroup holds a consecutive part of the tile and has one counter per digit value. First, each subgroup
// counts its keys of each digit value. Then prefix sums turn each counter into the slot of the first key that
// it counted. Last, each subgroup goes through its keys in order, SUBGROUP_SIZE keys at a time. Ballots find
// the lanes whose keys have the same digit value. The slot of a key is its counter plus the number of lower
// lanes with the same digit value. The counter then advances past the keys of all these lanes. A subgroup here
// is a group of SUBGROUP_SIZE neighbouring invocations; the slot "subgroup" says what the device's subgroups
// may be.

#import key
#import digit
#import subgroup
#import lane_set
#import lanes
#import sum_before
#enable subgroups
#constant WORKGROUP_SIZE       // at least DIGITS
#constant SUBGROUP_SIZE        // divides DIGITS
#constant SUBGROUPS            // WORKGROUP_SIZE / SUBGROUP_SIZE
#constant DIGIT_BITS
#constant KEYS_PER_INVOCATION  // keys that an invocation holds in registers
#constant LOCKSTEP             // 1 if a test found that the device's subgroups run in lockstep

const TILE = WORKGROUP_SIZE * KEYS_PER_INVOCATION;

alias TileKeys = array<Key, KEYS_PER_INVOCATION>;
alias TileWords = array<u32, KEYS_PER_INVOCATION>;

// For each subgroup and digit value: first the number of keys, then the slot of the next key.
var<workgroup> counters: array<atomic<u32>, SUBGROUPS * DIGITS>;
// The keys of the tile in their order by the digit.
var<workgroup> slots: array<Key, TILE>;

// The place in the tile of the first key that an invocation loads. Its other keys follow at distances of
// SUBGROUP_SIZE.
fn first_slot(invocation: u32) -> u32 {
  return (invocation / SUBGROUP_SIZE) * SUBGROUP_SIZE * KEYS_PER_INVOCATION + invocation % SUBGROUP_SIZE;
}

// Returns the peers of an invocation: the lanes of its subgroup with the same digit value, itself included.
fn peers_of(digit: u32, lane: u32) -> Lanes {
  var peers = ALL_LANES;
  for (var bit = 0u; bit < DIGIT_BITS; bit++) { // unroll
    let is_set = (digit & (1u << bit)) != 0u;
    let lanes = ballot(is_set);
    peers &= select(~lanes, lanes, is_set);
  }
  return lanes_of_part(peers, lane);
}

// For the digit value that is the invocation's number.
struct DigitCount {
  count: u32,   // keys of the tile with this digit value
  before: u32,  // keys of the tile with a smaller digit value
}

// Must be called before each ranking.
fn clear_counters(invocation: u32) {
  for (var i = invocation; i < SUBGROUPS * DIGITS; i += WORKGROUP_SIZE) { atomicStore(&counters[i], 0u); }
  workgroupBarrier();
}

// Writes the keys to `slots`, where they can be read after the next barrier, and the slot of each key to
// `ranks`. `turns` is what `start_subgroups` returned.
fn rank_tile(
  keys: ptr<function, TileKeys>,
  ranks: ptr<function, TileWords>,
  shift: u32,
  mask: u32,
  invocation: u32,
  turns: u32,
) -> DigitCount {
  let lane = invocation % SUBGROUP_SIZE;
  let below = lanes_below(lane);
  let above = lanes_above(lane);
  let own = (invocation / SUBGROUP_SIZE) * DIGITS;

  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    atomicAdd(&counters[own + digit_at((*keys)[i], shift, mask)], 1u);
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

  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    let key = (*keys)[i];
    let key_digit = digit_at(key, shift, mask);
    let peers = peers_of(key_digit, lane);
    let counter = own + key_digit;
    // In lockstep, all peers read their counter before the last peer changes it. WGSL does not guarantee
    // that, so src/core/engines/lockstep.ts tests it. Without lockstep, the first peer changes the counter
    // and broadcasts its old value to the others.
    if LOCKSTEP == 1u {
      let slot = atomicLoad(&counters[counter]) + lane_count(peers & below);
      if is_empty(peers & above) { atomicStore(&counters[counter], slot + 1u); }
      // Keeps writes inside `slots` if the device does not run in lockstep after all. Keys are then lost,
      // which the check of the result detects.
      let safe = min(slot, TILE - 1u);
      slots[safe] = key;
      (*ranks)[i] = safe;
    } else {
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
      slot = value_of_lane(slot, leader, lane) + lane_count(peers & below);
      slots[slot] = key;
      (*ranks)[i] = slot;
    }
  }
  return digit;
}

// Writes the values to the slots of their keys, where they can be read after the next barrier. All keys have
// been read by then, so values need no workgroup memory of their own.
fn stage_values(values: ptr<function, TileWords>, ranks: ptr<function, TileWords>) {
  workgroupBarrier();
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    slots[(*ranks)[i]] = value_as_key((*values)[i]);
  }
}

// Reads the value in a slot.
fn staged_value(slot: u32) -> u32 {
  return key_as_value(slots[slot]);
}
