// Keys of low cardinality: those of few distinct values, which are counted and written, and not moved.
// msd_sample.wgsl lists the values, msd_count.wgsl counts the keys of each, and msd_local.wgsl writes the
// sorted keys from the counts. src/core/sort/msd/msd.ts explains the order of the passes.

#import key
#constant DISTINCT_KEYS  // number of the binding
#constant MAX_DISTINCT   // a power of two: the most distinct values that are counted

struct DistinctKeys {
  keys: array<Key, MAX_DISTINCT>,            // the distinct values in their ordered form, in order
  count: u32,                                // how many there are
  totals: array<atomic<u32>, MAX_DISTINCT>,  // how many keys have each of them
}

@group(0) @binding(DISTINCT_KEYS) var<storage, read_write> distinct_keys: DistinctKeys;

// Slots of a table of the distinct values. A value lies in the slot of its number or after it, and no slot
// between is empty.
const DISTINCT_SLOTS = 4u * MAX_DISTINCT;

// The number of a key's slot. The only word of a short key is both its low and its high word.
fn distinct_slot(key: Key) -> u32 {
  let mixed = (word_at(key, 0u) * 0x9e3779b1u) ^ (word_at(key, 1u) * 0x85ebca6bu);
  return mixed >> (32u - countTrailingZeros(DISTINCT_SLOTS));
}

fn next_distinct_slot(slot: u32) -> u32 {
  return (slot + 1u) % DISTINCT_SLOTS;
}

fn has_same_bits(a: Key, b: Key) -> bool {
  return (word_at(a, 0u) == word_at(b, 0u)) & (word_at(a, 1u) == word_at(b, 1u));
}

#if low_cardinality/count
#import order
#import radix_keys
#import chunk
#import outliers
#constant WORKGROUP_SIZE
#constant LOADS  // keys that an invocation loads at once
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
    has_outlier = true;
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
    // LOADS loads in flight hide the memory's latency.
    var keys: array<Key, LOADS>;
    for (; at + (LOADS - 1u) * WORKGROUP_SIZE < end; at += LOADS * WORKGROUP_SIZE) {
      var difference = last ^ last;
      #unroll
      for (var i = 0u; i < LOADS; i++) {
        keys[i] = key_at(at + i * WORKGROUP_SIZE);
      }
      #unroll
      for (var i = 0u; i < LOADS; i++) {
        difference |= keys[i] ^ last;
      }
      if (word_at(difference, 0u) | word_at(difference, 1u)) == 0u {
        times += LOADS;
      } else {
        #unroll
        for (var i = 0u; i < LOADS; i++) {
          add_distinct(keys[i], 1u);
        }
        if times > 0u { add_distinct(last, times); }
        last = keys[LOADS - 1u];
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
#end

#if low_cardinality/fill
#import radix_output
#import written_keys
#import subgroup
#import msd_local_params
#constant WORKGROUP_SIZE  // at least MAX_DISTINCT

const MIN_FILLERS = 512u;

// The place after the last key of each value, and the number of keys after the last value.
var<workgroup> distinct_ends: array<u32, MAX_DISTINCT>;

// How many of the workgroups write. If all did, they would add up totals for a quarter of the sort's time;
// MIN_FILLERS keep a GPU busy.
fn fillers(workgroups: u32) -> u32 {
  return min(workgroups, max(params.segments / 8u, MIN_FILLERS));
}

// Writes the share of workgroup `worker`, if it is one of those that write. All invocations of the workgroup
// must call it.
fn fill_distinct(worker: u32, workgroups: u32, invocation: u32) {
  let workers = fillers(workgroups);
  if worker >= workers { return; }
  var total = 0u;
  if invocation < MAX_DISTINCT { total = atomicLoad(&distinct_keys.totals[invocation]); }
  let before = exclusive_sum(total, invocation);
  if invocation < MAX_DISTINCT { distinct_ends[invocation] = before + total; }
  workgroupBarrier();

  // Shares begin at whole lines of the memory.
  let share = ((params.key_count + workers - 1u) / workers + 31u) & ~31u;
  let end = min((worker + 1u) * share, params.key_count);
  var at = worker * share + invocation;
  if at >= end { return; }
  var number = 0u;
  for (var step = MAX_DISTINCT / 2u; step > 0u; step /= 2u) {
    if distinct_ends[number + step - 1u] <= at { number += step; }
  }
  var key = output_of(distinct_keys.keys[number]);
  var key_end = distinct_ends[number];
  for (; at < end; at += WORKGROUP_SIZE) {
    if key_end <= at {
      for (; number < MAX_DISTINCT - 1u && distinct_ends[number] <= at; number++) {}
      key = output_of(distinct_keys.keys[number]);
      key_end = distinct_ends[number];
    }
    write_key(at, key);
  }
}
#end
