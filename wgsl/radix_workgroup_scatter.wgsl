// radix_scatter for devices without subgroups, or whose subgroups have no known size: within a tile the digit is sorted
// by in two halves of 4 bits, each invocation counting its own stretch of keys and the workgroup adding up (after
// N. Satish, M. Harris and M. Garland, "Designing efficient sorting algorithms for manycore GPUs", 2009).
// src/twins/radix.ts has its twin.
//
// Uses a key, its order, digit, radix_params, radix, one of the values modules, scanned and workgroup_scan.
// Constants: WORKGROUP_SIZE (invocations, a power of two), TILE_KEYS (keys that an invocation holds), IN_WINDOW (1 where the
// output is bound in windows), PARAMS (the binding of the parameters).

@group(0) @binding(0) var<storage, read> input: array<Stored>;
@group(0) @binding(1) var<storage, read_write> output: array<Key>;
@group(0) @binding(PARAMS) var<uniform> params: Params;

const TILE = WORKGROUP_SIZE * TILE_KEYS;
const HALF_BITS = DIGIT_BITS / 2u;
// Two counters a word: of the half digits v and v + COUNTERS.
const COUNTERS = (1u << HALF_BITS) / 2u;

var<workgroup> slots: array<Key, TILE>;
var<workgroup> value_slots: array<u32, select(1u, TILE, HAS_VALUES)>;
// By half digit, then by invocation: first counts, then the slot of the next key.
var<workgroup> counters: array<u32, COUNTERS * WORKGROUP_SIZE>;
// Where the workgroup's next key of each digit goes, within the output's window; wraps.
var<workgroup> next: array<u32, DIGITS>;
// What to add to the slot of a digit's key to have its place.
var<workgroup> offsets: array<u32, DIGITS>;

// Sorts the tile in `slots` by `bits` bits from `shift` on, stably.
fn sort_by_half(shift: u32, mask: u32, invocation: u32) {
  var keys: array<Key, TILE_KEYS>;
  var values: array<u32, TILE_KEYS>;
  let first = invocation * TILE_KEYS;
  for (var i = 0u; i < COUNTERS; i++) {
    counters[i * WORKGROUP_SIZE + invocation] = 0u;
  }
  for (var i = 0u; i < TILE_KEYS; i++) { // unroll
    keys[i] = slots[first + i];
    if HAS_VALUES { values[i] = value_slots[first + i]; }
    let half = digit_at(keys[i], shift, mask);
    counters[(half % COUNTERS) * WORKGROUP_SIZE + invocation] += select(1u, 1u << 16u, half >= COUNTERS);
  }
  workgroupBarrier();

  // Each invocation adds up COUNTERS words in a row, of both halves at once.
  var sum = 0u;
  for (var i = 0u; i < COUNTERS; i++) {
    sum += counters[invocation * COUNTERS + i];
  }
  let inclusive = inclusive_sum(sum, invocation);
  // The upper counters' keys come after all of the lower ones'.
  var start = inclusive - sum + (scan_sums[WORKGROUP_SIZE - 1u] << 16u);
  for (var i = 0u; i < COUNTERS; i++) {
    let count = counters[invocation * COUNTERS + i];
    counters[invocation * COUNTERS + i] = start;
    start += count;
  }
  workgroupBarrier();

  for (var i = 0u; i < TILE_KEYS; i++) { // unroll
    let half = digit_at(keys[i], shift, mask);
    let counter = (half % COUNTERS) * WORKGROUP_SIZE + invocation;
    let both = counters[counter];
    let slot = select(both & 0xffffu, both >> 16u, half >= COUNTERS);
    counters[counter] = both + select(1u, 1u << 16u, half >= COUNTERS);
    slots[slot] = keys[i];
    if HAS_VALUES { value_slots[slot] = values[i]; }
  }
  workgroupBarrier();
}

fn digit_in(slot: u32) -> u32 {
  return digit_at(slots[slot], params.shift, MASK);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let column = params.first_column + workgroup.x;
  if column >= params.columns { return; }
  let begin = column * params.chunk;
  let end = min(begin + params.chunk, params.key_count);

  // Each invocation adds up the totals of DIGITS / WORKGROUP_SIZE digits in a row.
  const A_PIECE = DIGITS / WORKGROUP_SIZE;
  var sum = 0u;
  for (var i = 0u; i < A_PIECE; i++) {
    sum += digit_start(invocation * A_PIECE + i, column).total;
  }
  var start = inclusive_sum(sum, invocation) - sum - params.output_begin;
  for (var i = 0u; i < A_PIECE; i++) {
    let of_digit = digit_start(invocation * A_PIECE + i, column);
    next[invocation * A_PIECE + i] = start + of_digit.within;
    start += of_digit.total;
  }

  for (var tile = begin; tile < end; tile += TILE) {
    for (var i = 0u; i < TILE_KEYS; i++) { // unroll
      let slot = invocation + i * WORKGROUP_SIZE;
      var image = MAX_ORDERED;
      var value = 0u;
      if tile + slot < end {
        image = image_of(key_at(tile + slot));
        value = value_at(tile + slot);
      }
      slots[slot] = image;
      if HAS_VALUES { value_slots[slot] = value; }
    }
    workgroupBarrier();
    let half_mask = (1u << HALF_BITS) - 1u;
    sort_by_half(params.shift, MASK & half_mask, invocation);
    sort_by_half(params.shift + HALF_BITS, MASK >> HALF_BITS, invocation);

    // A digit's first slot tells how far its keys move, and its last one where the next tile's go.
    for (var i = 0u; i < TILE_KEYS; i++) { // unroll
      let slot = invocation + i * WORKGROUP_SIZE;
      let digit = digit_in(slot);
      if slot == 0u || digit_in(slot - 1u) != digit { offsets[digit] = next[digit] - slot; }
    }
    workgroupBarrier();
    for (var i = 0u; i < TILE_KEYS; i++) { // unroll
      let slot = invocation + i * WORKGROUP_SIZE;
      let digit = digit_in(slot);
      let place = offsets[digit] + slot;
      if tile + slot < end && (IN_WINDOW == 0u || place < params.output_keys) {
        output[place] = key_of(slots[slot]);
        if HAS_VALUES { put_value(place, value_slots[slot]); }
      }
      if slot + 1u == TILE || digit_in(min(slot + 1u, TILE - 1u)) != digit { next[digit] = place + 1u; }
    }
    workgroupBarrier();
  }
}
