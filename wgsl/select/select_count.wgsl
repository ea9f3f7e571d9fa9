// One step of a radix select: one dispatch counts the keys of each digit value, among the keys that have the
// known bits of the selection. It adds the counts to `totals`. An invocation counts every stride-th key of the
// window, in workgroup memory. If nothing is left to be counted, it returns immediately.
// src/core/sort/select/select.ts explains the order of the steps.

#import key
#import order
#import digit
#import selection
#import known_bits
#constant WORKGROUP_SIZE

struct SelectParams {
  begin: u32,       // keys before the window
  key_count: u32,   // keys in the window, at most
  stride: u32,      // invocations in the whole grid
  shift: u32,       // the digit's lowest bit
  mask: u32,        // one less than the number of its values
}

@group(0) @binding(0) var<storage, read> keys: array<Stored>;
@group(0) @binding(1) var<storage, read_write> totals: array<atomic<u32>>;   // one per digit value
@group(0) @binding(2) var<storage, read> selection: Selection;
@group(0) @binding(3) var<uniform> params: SelectParams;

// This many loads in flight hide the memory's latency.
const LOADS = 8u;

var<workgroup> counters: array<atomic<u32>, DIGITS>;

fn key_at(i: u32) -> Key {
  return unpack(keys[stored_at(i)], i);
}

// The digit of a key, or DIGITS if it lacks the known bits.
fn digit_of(key: Key) -> u32 {
  let ordered = to_ordered(key);
  let is_equal = all(known_bits(selection, ordered) == prefix_of(selection));
  return select(DIGITS, digit_at(ordered, params.shift, params.mask), is_equal);
}

fn add(digit: u32, times: u32) {
  if digit < DIGITS { atomicAdd(&counters[digit], times); }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u, @builtin(local_invocation_index) invocation: u32) {
  if selection.counting == 0u { return; }
  for (var digit = invocation; digit <= params.mask; digit += WORKGROUP_SIZE) {
    atomicStore(&counters[digit], 0u);
  }
  workgroupBarrier();
  let end = min(params.key_count, max(selection.key_count, params.begin) - params.begin);
  var i = global.x;
  for (; i + (LOADS - 1u) * params.stride < end; i += LOADS * params.stride) {
    var held: array<Key, LOADS>;
    for (var k = 0u; k < LOADS; k++) { held[k] = key_at(i + k * params.stride); }
    // Equal digits are added at once: additions to one counter wait for each other.
    var digit = digit_of(held[0]);
    var times = 1u;
    for (var k = 1u; k < LOADS; k++) {
      let next = digit_of(held[k]);
      if next != digit {
        add(digit, times);
        digit = next;
        times = 0u;
      }
      times += 1u;
    }
    add(digit, times);
  }
  for (; i < end; i += params.stride) { add(digit_of(key_at(i)), 1u); }
  workgroupBarrier();
  for (var digit = invocation; digit <= params.mask; digit += WORKGROUP_SIZE) {
    let counted = atomicLoad(&counters[digit]);
    if counted > 0u { atomicAdd(&totals[digit], counted); }
  }
}
