// Moves each workgroup's chunk of keys to their places, tile by tile: keys are ranked by their digit, exchanged
// through workgroup memory into that order, and written in runs. src/twins/radix.ts has its twin.
//
// Uses key32 or key64, its order, digit and radix. Needs subgroups of SUBGROUP_SIZE invocations, 32 at most, numbered
// as the invocations are. Constants: WORKGROUP_SIZE (invocations, at least DIGITS), SUBGROUP_SIZE, SUBGROUPS (the
// quotient), TILE_KEYS (keys that an invocation holds), LOCKSTEP (see below).

@group(0) @binding(0) var<storage, read> input: array<Key>;
@group(0) @binding(1) var<storage, read_write> output: array<Key>;
@group(0) @binding(2) var<storage, read> counts: array<u32>;   // where a workgroup's keys start within the digit
@group(0) @binding(3) var<storage, read> totals: array<u32>;   // keys of each digit
@group(0) @binding(4) var<uniform> params: Params;

const TILE = WORKGROUP_SIZE * TILE_KEYS;
const ALL_LANES = 0xffffffffu >> (32u - SUBGROUP_SIZE);

// A subgroup's keys of each digit: first how many, then the slot of the next.
var<workgroup> counters: array<atomic<u32>, SUBGROUPS * DIGITS>;
var<workgroup> slots: array<Key, TILE>;
// What to add to the slot of a digit's key to have its place in the output; wraps.
var<workgroup> offsets: array<u32, DIGITS>;
var<workgroup> sums: array<u32, DIGITS / SUBGROUP_SIZE>;

// The lanes of the subgroup whose digit is the same.
fn peers_of(digit: u32) -> u32 {
  var peers = ALL_LANES;
  for (var bit = 0u; bit < DIGIT_BITS; bit++) { // unroll
    let is_set = (digit & (1u << bit)) != 0u;
    let lanes = subgroupBallot(is_set).x;
    peers &= select(~lanes, lanes, is_set);
  }
  return peers;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let lane = invocation % SUBGROUP_SIZE;
  let subgroup = invocation / SUBGROUP_SIZE;
  let own = subgroup * DIGITS;
  let below = (1u << lane) - 1u;
  let above = ~(below | (1u << lane));

  let begin = workgroup.x * params.chunk;
  let end = min(begin + params.chunk, params.key_count);
  if begin >= end { return; }

  // Invocation d < DIGITS keeps the place of the workgroup's next key of digit d.
  var next = 0u;
  var exclusive = 0u;
  if invocation < DIGITS {
    let total = totals[invocation];
    exclusive = subgroupExclusiveAdd(total);
    if lane == SUBGROUP_SIZE - 1u { sums[subgroup] = exclusive + total; }
    next = counts[invocation * params.columns + workgroup.x] + exclusive;
  }
  workgroupBarrier();
  if invocation < DIGITS {
    for (var i = 0u; i < subgroup; i++) { next += sums[i]; }
  }

  var keys: array<Key, TILE_KEYS>;
  let first_slot = subgroup * SUBGROUP_SIZE * TILE_KEYS + lane;
  if begin + TILE <= end {
    for (var i = 0u; i < TILE_KEYS; i++) { // unroll
      keys[i] = image_of(input[begin + first_slot + i * SUBGROUP_SIZE]);
    }
  } else {
    for (var i = 0u; i < TILE_KEYS; i++) { // unroll
      let at = begin + first_slot + i * SUBGROUP_SIZE;
      keys[i] = MAX_ORDERED;
      if at < end { keys[i] = image_of(input[at]); }
    }
  }

  for (var tile = begin; tile < end; tile += TILE) {
    for (var i = invocation; i < SUBGROUPS * DIGITS; i += WORKGROUP_SIZE) { atomicStore(&counters[i], 0u); }
    workgroupBarrier();
    for (var i = 0u; i < TILE_KEYS; i++) { // unroll
      atomicAdd(&counters[own + digit_at(keys[i], params.shift)], 1u);
    }
    workgroupBarrier();

    var count = 0u;
    if invocation < DIGITS {
      for (var i = 0u; i < SUBGROUPS; i++) { // unroll
        count += atomicLoad(&counters[i * DIGITS + invocation]);
      }
      exclusive = subgroupExclusiveAdd(count);
      if lane == SUBGROUP_SIZE - 1u { sums[subgroup] = exclusive + count; }
    }
    workgroupBarrier();
    if invocation < DIGITS {
      for (var i = 0u; i < subgroup; i++) { exclusive += sums[i]; }
      var slot = exclusive;
      for (var i = 0u; i < SUBGROUPS; i++) { // unroll
        let keys_here = atomicLoad(&counters[i * DIGITS + invocation]);
        atomicStore(&counters[i * DIGITS + invocation], slot);
        slot += keys_here;
      }
      offsets[invocation] = next - exclusive;
      next += count;
    }
    workgroupBarrier();

    for (var i = 0u; i < TILE_KEYS; i++) { // unroll
      let digit = digit_at(keys[i], params.shift);
      let peers = peers_of(digit);
      let counter = own + digit;
      // In lockstep every lane reads its digit's counter before the last of its peers moves it on, which WGSL does not
      // promise: src/engines/lockstep.ts tries it out. Otherwise the first of the peers moves it and tells the rest.
      if LOCKSTEP == 1u {
        let slot = atomicLoad(&counters[counter]) + countOneBits(peers & below);
        if (peers & above) == 0u { atomicStore(&counters[counter], slot + 1u); }
        slots[min(slot, TILE - 1u)] = keys[i]; // a wrong guess costs keys, which the check finds, but no other memory
      } else {
        let leader = firstTrailingBit(peers);
        var slot = 0u;
        if lane == leader { slot = atomicAdd(&counters[counter], countOneBits(peers)); }
        slots[subgroupShuffle(slot, leader) + countOneBits(peers & below)] = keys[i];
      }
    }
    // The next tile's keys are on their way while this one's are exchanged and written.
    let next_tile = tile + TILE;
    if next_tile + TILE <= end {
      for (var i = 0u; i < TILE_KEYS; i++) { // unroll
        keys[i] = image_of(input[next_tile + first_slot + i * SUBGROUP_SIZE]);
      }
    } else if next_tile < end {
      for (var i = 0u; i < TILE_KEYS; i++) { // unroll
        let at = next_tile + first_slot + i * SUBGROUP_SIZE;
        keys[i] = MAX_ORDERED;
        if at < end { keys[i] = image_of(input[at]); }
      }
    }
    workgroupBarrier();

    if next_tile <= end {
      for (var i = 0u; i < TILE_KEYS; i++) { // unroll
        let slot = invocation + i * WORKGROUP_SIZE;
        let image = slots[slot];
        let place = offsets[digit_at(image, params.shift)] + slot;
        if LOCKSTEP == 0u || place < params.key_count { output[place] = key_of(image); }
      }
    } else {
      for (var i = 0u; i < TILE_KEYS; i++) { // unroll
        let slot = invocation + i * WORKGROUP_SIZE;
        if tile + slot < end {
          let image = slots[slot];
          let place = offsets[digit_at(image, params.shift)] + slot;
          if LOCKSTEP == 0u || place < params.key_count { output[place] = key_of(image); }
        }
      }
    }
  }
}
