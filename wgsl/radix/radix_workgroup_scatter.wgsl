// The scatter step of a radix sort's move on hardware without subgroups of one known size. One dispatch
// writes all keys, and their values, to their places in the output. A workgroup processes one chunk, tile by
// tile: it sorts a tile in workgroup memory by the low half of the digit and then by the high half, and
// writes keys with the same digit value to consecutive places. In each half, an invocation counts
// KEYS_PER_INVOCATION consecutive keys with its own counters, and the workgroup adds up the counters (after
// N. Satish, M. Harris and M. Garland, "Designing efficient sorting algorithms for manycore GPUs", 2009).

#import key
#import digit
#import radix_pass
#import radix_keys
#import radix_output
#import written_keys
#import values
#import digit_start
#import chunk
#import workgroup_scan
#import grid
#constant WORKGROUP_SIZE       // a power of two
#constant KEYS_PER_INVOCATION  // keys that an invocation holds in registers
#constant DIGIT_BITS
#constant MASK                 // the digit's mask: see digit.wgsl
#constant IN_WINDOW            // 1 if only a window of the output is bound

const TILE = WORKGROUP_SIZE * KEYS_PER_INVOCATION;
const HALF_BITS = DIGIT_BITS / 2u;
// Words of counters per invocation. A word holds two counters of 16 bits: for the half-digit values v and
// v + COUNTERS.
const COUNTERS = (1u << HALF_BITS) / 2u;

var<workgroup> slots: array<Key, TILE>;
var<workgroup> value_slots: array<u32, select(1u, TILE, HAS_VALUES)>;
// Ordered by half-digit value and then by invocation. A counter first holds the number of keys, and then the
// slot of the next key.
var<workgroup> counters: array<u32, COUNTERS * WORKGROUP_SIZE>;
// For each digit value: the place of the chunk's next key in the bound window of the output, modulo 2^32.
var<workgroup> next: array<u32, DIGITS>;
// For each digit value: what to add to a key's slot to get its place.
var<workgroup> offsets: array<u32, DIGITS>;

// Sorts the tile in `slots` stably by one half of the digit.
fn sort_by_half(shift: u32, mask: u32, invocation: u32) {
  var keys: array<Key, KEYS_PER_INVOCATION>;
  var values: array<u32, KEYS_PER_INVOCATION>;
  let first = invocation * KEYS_PER_INVOCATION;
  for (var i = 0u; i < COUNTERS; i++) {
    counters[i * WORKGROUP_SIZE + invocation] = 0u;
  }
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    keys[i] = slots[first + i];
    if HAS_VALUES { values[i] = value_slots[first + i]; }
    let half = digit_at(keys[i], shift, mask);
    counters[(half % COUNTERS) * WORKGROUP_SIZE + invocation] += select(1u, 1u << 16u, half >= COUNTERS);
  }
  workgroupBarrier();

  // An exclusive prefix sum over all counters. Each invocation adds up COUNTERS consecutive words, both
  // counters of a word at once.
  var sum = 0u;
  for (var i = 0u; i < COUNTERS; i++) {
    sum += counters[invocation * COUNTERS + i];
  }
  let inclusive = inclusive_sum(sum, invocation);
  // The keys of the upper counters come after all keys of the lower counters.
  var start = inclusive - sum + (scan_sums[WORKGROUP_SIZE - 1u] << 16u);
  for (var i = 0u; i < COUNTERS; i++) {
    let count = counters[invocation * COUNTERS + i];
    counters[invocation * COUNTERS + i] = start;
    start += count;
  }
  workgroupBarrier();

  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
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

// The digit of the key in a slot.
fn digit_in(slot: u32) -> u32 {
  return digit_at(slots[slot], params.shift, MASK);
}

fn move_chunk(column: u32, invocation: u32) {
  let range = chunk_range(column);
  let begin = range.begin;
  let end = range.end;

  // Each invocation adds up the totals of PIECE consecutive digit values.
  const PIECE = DIGITS / WORKGROUP_SIZE;
  var starts: array<DigitStart, PIECE>;
  var sum = 0u;
  for (var i = 0u; i < PIECE; i++) {
    starts[i] = digit_start(invocation * PIECE + i, column);
    sum += starts[i].total;
  }
  var start = inclusive_sum(sum, invocation) - sum - params.output_begin;
  for (var i = 0u; i < PIECE; i++) {
    next[invocation * PIECE + i] = start + starts[i].within;
    start += starts[i].total;
  }

  for (var tile = begin; tile < end; tile += TILE) {
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      let slot = invocation + i * WORKGROUP_SIZE;
      var ordered = MAX_ORDERED;
      var value = 0u;
      if tile + slot < end {
        ordered = ordered_of(key_at(tile + slot));
        value = value_at(tile + slot);
      }
      slots[slot] = ordered;
      if HAS_VALUES { value_slots[slot] = value; }
    }
    workgroupBarrier();
    let half_mask = (1u << HALF_BITS) - 1u;
    sort_by_half(params.shift, MASK & half_mask, invocation);
    sort_by_half(params.shift + HALF_BITS, MASK >> HALF_BITS, invocation);

    // The first slot of a digit value gives the value's offset. Its last slot gives the value's first place
    // in the next tile.
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      let slot = invocation + i * WORKGROUP_SIZE;
      let digit = digit_in(slot);
      if slot == 0u || digit_in(slot - 1u) != digit { offsets[digit] = next[digit] - slot; }
    }
    workgroupBarrier();
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      let slot = invocation + i * WORKGROUP_SIZE;
      let digit = digit_in(slot);
      let place = offsets[digit] + slot;
      if tile + slot < end && (IN_WINDOW == 0u || place < params.output_keys) {
        write_key(place, output_of(slots[slot]));
        if HAS_VALUES { put_value(place, value_slots[slot]); }
      }
      if slot + 1u == TILE || digit_in(min(slot + 1u, TILE - 1u)) != digit { next[digit] = place + 1u; }
    }
    workgroupBarrier();
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  var column = column_of(grid.workgroup);
  if column >= chunk_count() { return; }
  loop {
    move_chunk(column, invocation);
    column += grid.size.x * grid.size.y;
    if !IS_STRIDED || column >= chunk_count() { break; }
    workgroupBarrier();
  }
}
