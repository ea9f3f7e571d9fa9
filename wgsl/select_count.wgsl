// One step of a radix select: one dispatch counts the keys of each digit value, among the keys whose bits
// above the digit are those of the prefix. It adds the counts to `totals`. An invocation counts every
// stride-th key, in workgroup memory. src/core/sort/select.ts explains how the steps work together.

#import key
#import order
#import digit
#constant WORKGROUP_SIZE

struct SelectParams {
  key_count: u32,    // keys in the window
  stride: u32,       // invocations in the whole grid
  shift: u32,        // the digit's lowest bit
  above_low: u32,    // the bits above the digit: in the low word
  above_high: u32,   // and in the high word
  prefix_low: u32,   // what the keys have in these bits
  prefix_high: u32,
}

@group(0) @binding(0) var<storage, read> keys: array<Stored>;
@group(0) @binding(1) var<storage, read_write> totals: array<atomic<u32>>;   // one per digit value
@group(0) @binding(2) var<uniform> params: SelectParams;

// This many loads in flight hide the memory's latency.
const FLIGHT = 8u;

var<workgroup> counters: array<atomic<u32>, DIGITS>;

fn count(i: u32) {
  let ordered = to_ordered(unpack(keys[stored_at(i)], i));
  let prefix = key_of(params.prefix_low, params.prefix_high);
  if all(masked(ordered, params.above_low, params.above_high) == prefix) {
    atomicAdd(&counters[digit_at(ordered, params.shift, DIGITS - 1u)], 1u);
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(global_invocation_id) global: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  for (var digit = invocation; digit < DIGITS; digit += WORKGROUP_SIZE) { atomicStore(&counters[digit], 0u); }
  workgroupBarrier();
  var i = global.x;
  for (; i + (FLIGHT - 1u) * params.stride < params.key_count; i += FLIGHT * params.stride) {
    for (var k = 0u; k < FLIGHT; k++) { count(i + k * params.stride); }
  }
  for (; i < params.key_count; i += params.stride) { count(i); }
  workgroupBarrier();
  for (var digit = invocation; digit < DIGITS; digit += WORKGROUP_SIZE) {
    let counted = atomicLoad(&counters[digit]);
    if counted > 0u { atomicAdd(&totals[digit], counted); }
  }
}
