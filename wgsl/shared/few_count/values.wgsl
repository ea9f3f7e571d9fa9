// Counts the keys of each value instead of each digit, if the samples have few distinct values. A key of another
// value is noted as an outlier.

#import key
#import order
#import radix_keys
#import chunk
#import outliers
#import few_keys
#import condition/if_fits
#constant MAX_FEW
#constant WORKGROUP_SIZE
#constant RAW_INPUT

// Counters. Those of a value are as many as there is room for, up to one per memory bank.
const FEW_CELLS = 8u * MAX_FEW;
const MAX_CELL_BITS = 5u;

var<workgroup> few_cells: array<atomic<u32>, FEW_CELLS>;
// One more than the number of the value of each slot; 0 for an empty slot.
var<workgroup> few_numbers: array<atomic<u32>, FEW_SLOTS>;
// The value of each slot, in the form of the input.
var<workgroup> few_slot_keys: array<Key, FEW_SLOTS>;

// The first of the invocation's counters of value 0, and log2 of how many counters a value has.
var<private> first_cell: u32;
var<private> cell_bits: u32;

fn counts_few() -> bool {
  return fits[0] == ARE_FEW;
}

// Value `number` in the form of the input.
fn few_key(number: u32) -> Key {
  if RAW_INPUT == 1u { return from_ordered(few.keys[number]); }
  return few.keys[number];
}

fn add_few(key: Key, times: u32) {
  var slot = few_slot(key);
  var number = atomicLoad(&few_numbers[slot]);
  // With && between its conditions, SwiftShader takes 100 s to compile the eleven copies of this loop.
  for (var i = 0u; i < MAX_FEW; i++) {
    if number == 0u { break; }
    if has_same_bits(few_slot_keys[slot], key) { break; }
    slot = next_few_slot(slot);
    number = atomicLoad(&few_numbers[slot]);
  }
  if number == 0u {
    note_missed();
  } else {
    atomicAdd(&few_cells[first_cell + ((number - 1u) << cell_bits)], times);
  }
}

// Counts a chunk. All invocations must call it.
fn count_few(column: u32, invocation: u32) {
  for (var i = invocation; i < FEW_SLOTS; i += WORKGROUP_SIZE) { atomicStore(&few_numbers[i], 0u); }
  for (var i = invocation; i < FEW_CELLS; i += WORKGROUP_SIZE) { atomicStore(&few_cells[i], 0u); }
  let values = min(few.count, MAX_FEW);
  let value_bits = 32u - countLeadingZeros(max(values, 1u) - 1u);
  cell_bits = min(countTrailingZeros(FEW_CELLS) - value_bits, MAX_CELL_BITS);
  first_cell = invocation & ((1u << cell_bits) - 1u);
  workgroupBarrier();
  for (var i = invocation; i < values; i += WORKGROUP_SIZE) {
    // A value that finds its slot taken moves on, or the one that it puts out of the slot does.
    var moved = i + 1u;
    var slot = few_slot(few_key(i));
    for (var step = 0u; step < FEW_SLOTS && moved != 0u; step++) {
      moved = atomicExchange(&few_numbers[slot], moved);
      slot = next_few_slot(slot);
    }
  }
  workgroupBarrier();
  for (var i = invocation; i < FEW_SLOTS; i += WORKGROUP_SIZE) {
    let number = atomicLoad(&few_numbers[i]);
    if number != 0u { few_slot_keys[i] = few_key(number - 1u); }
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
        add_few(k0, 1u);
        add_few(k1, 1u);
        add_few(k2, 1u);
        add_few(k3, 1u);
        add_few(k4, 1u);
        add_few(k5, 1u);
        add_few(k6, 1u);
        add_few(k7, 1u);
        if times > 0u { add_few(last, times); }
        last = k7;
        times = 0u;
      }
    }
    if times > 0u { add_few(last, times); }
    for (; at < end; at += WORKGROUP_SIZE) { add_few(key_at(at), 1u); }
  }
  report_outliers();
  workgroupBarrier();

  for (var i = invocation; i < values; i += WORKGROUP_SIZE) {
    var sum = 0u;
    for (var cell = 0u; cell < 1u << cell_bits; cell++) { sum += atomicLoad(&few_cells[(i << cell_bits) + cell]); }
    if sum > 0u { atomicAdd(&few.totals[i], sum); }
  }
}

#default
// For a pass that counts digits alone.

fn counts_few() -> bool {
  return false;
}

fn count_few(column: u32, invocation: u32) {
}
