#if low_cardinality_count/values
// Counts the keys of each value instead of each digit, if the samples have few distinct values. A key of
// another value is noted as an outlier.

#import key
#import order
#import radix_keys
#import chunk
#import outliers
#import low_cardinality
#import status
#import condition/if_fits
#constant MAX_DISTINCT
#constant WORKGROUP_SIZE
#constant RAW_INPUT

// Counters. Those of a value are as many as there is room for, up to one per memory bank.
const DISTINCT_CELLS = 8u * MAX_DISTINCT;
const MAX_CELL_BITS = 5u;

var<workgroup> distinct_cells: array<atomic<u32>, DISTINCT_CELLS>;
// One more than the number of the value of each slot; 0 for an empty slot.
var<workgroup> distinct_numbers: array<atomic<u32>, DISTINCT_SLOTS>;
// The value of each slot, in the form of the input.
var<workgroup> distinct_slot_keys: array<Key, DISTINCT_SLOTS>;

// The first of the invocation's counters of value 0, and log2 of how many counters a value has.
var<private> first_cell: u32;
var<private> cell_bits: u32;

fn counts_distinct() -> bool {
  return status[0] == LOW_CARDINALITY;
}

// Value `number` in the form of the input.
fn distinct_key(number: u32) -> Key {
  if RAW_INPUT == 1u { return from_ordered(distinct_keys.keys[number]); }
  return distinct_keys.keys[number];
}

fn add_distinct(key: Key, times: u32) {
  var slot = distinct_slot(key);
  var number = atomicLoad(&distinct_numbers[slot]);
  // With && between its conditions, SwiftShader takes 100 s to compile the eleven copies of this loop.
  for (var i = 0u; i < MAX_DISTINCT; i++) {
    if number == 0u { break; }
    if has_same_bits(distinct_slot_keys[slot], key) { break; }
    slot = next_distinct_slot(slot);
    number = atomicLoad(&distinct_numbers[slot]);
  }
  if number == 0u {
    note_missed();
  } else {
    atomicAdd(&distinct_cells[first_cell + ((number - 1u) << cell_bits)], times);
  }
}

// Counts a chunk. All invocations must call it.
fn count_distinct(column: u32, invocation: u32) {
  for (var i = invocation; i < DISTINCT_SLOTS; i += WORKGROUP_SIZE) { atomicStore(&distinct_numbers[i], 0u); }
  for (var i = invocation; i < DISTINCT_CELLS; i += WORKGROUP_SIZE) { atomicStore(&distinct_cells[i], 0u); }
  let values = min(distinct_keys.count, MAX_DISTINCT);
  let value_bits = 32u - countLeadingZeros(max(values, 1u) - 1u);
  cell_bits = min(countTrailingZeros(DISTINCT_CELLS) - value_bits, MAX_CELL_BITS);
  first_cell = invocation & ((1u << cell_bits) - 1u);
  workgroupBarrier();
  for (var i = invocation; i < values; i += WORKGROUP_SIZE) {
    // A value that finds its slot taken moves on, or the one that it puts out of the slot does.
    var moved = i + 1u;
    var slot = distinct_slot(distinct_key(i));
    for (var step = 0u; step < DISTINCT_SLOTS && moved != 0u; step++) {
      moved = atomicExchange(&distinct_numbers[slot], moved);
      slot = next_distinct_slot(slot);
    }
  }
  workgroupBarrier();
  for (var i = invocation; i < DISTINCT_SLOTS; i += WORKGROUP_SIZE) {
    let number = atomicLoad(&distinct_numbers[i]);
    if number != 0u { distinct_slot_keys[i] = distinct_key(number - 1u); }
  }
  workgroupBarrier();

  let range = chunk_range(column);
  let end = range.end;
  var at = range.begin + invocation;
  if at < end {
    // Equal keys of an invocation are looked up once.
    var last = key_at(at);
    var times = 0u;
    // Eight loads in flight hide the memory's latency.
    for (; at + 7u * WORKGROUP_SIZE < end; at += 8u * WORKGROUP_SIZE) {
      let k0 = key_at(at);
      let k1 = key_at(at + WORKGROUP_SIZE);
      let k2 = key_at(at + 2u * WORKGROUP_SIZE);
      let k3 = key_at(at + 3u * WORKGROUP_SIZE);
      let k4 = key_at(at + 4u * WORKGROUP_SIZE);
      let k5 = key_at(at + 5u * WORKGROUP_SIZE);
      let k6 = key_at(at + 6u * WORKGROUP_SIZE);
      let k7 = key_at(at + 7u * WORKGROUP_SIZE);
      let difference = (k0 ^ last) | (k1 ^ last) | (k2 ^ last) | (k3 ^ last) | (k4 ^ last) | (k5 ^ last) |
        (k6 ^ last) | (k7 ^ last);
      if (word_at(difference, 0u) | word_at(difference, 1u)) == 0u {
        times += 8u;
      } else {
        add_distinct(k0, 1u);
        add_distinct(k1, 1u);
        add_distinct(k2, 1u);
        add_distinct(k3, 1u);
        add_distinct(k4, 1u);
        add_distinct(k5, 1u);
        add_distinct(k6, 1u);
        add_distinct(k7, 1u);
        if times > 0u { add_distinct(last, times); }
        last = k7;
        times = 0u;
      }
    }
    if times > 0u { add_distinct(last, times); }
    for (; at < end; at += WORKGROUP_SIZE) { add_distinct(key_at(at), 1u); }
  }
  report_outliers();
  workgroupBarrier();

  for (var i = invocation; i < values; i += WORKGROUP_SIZE) {
    var sum = 0u;
    for (var cell = 0u; cell < 1u << cell_bits; cell++) { sum += atomicLoad(&distinct_cells[(i << cell_bits) + cell]); }
    if sum > 0u { atomicAdd(&distinct_keys.totals[i], sum); }
  }
}

#else
// For a pass that counts digits alone.

fn counts_distinct() -> bool {
  return false;
}

fn count_distinct(column: u32, invocation: u32) {
}

#end
