// The count step of a radix sort's move on software adapters. One dispatch counts the keys of each digit value
// in each chunk. An invocation counts a chunk, key by key, and writes one column of counts. It has its own
// counters, so it needs no barriers and no atomics. src/core/sort/radix/radix.ts explains the steps.

#import digit
#import radix_pass
#import radix_keys
#import chunk
#import count_order
#import grid
#constant WORKGROUP_SIZE
#constant MASK  // the digit's mask: see digit.wgsl

@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

// DIGITS per invocation.
var<workgroup> counters: array<u32, WORKGROUP_SIZE * DIGITS>;

fn count_chunk(column: u32, own: u32) {
  for (var digit = 0u; digit < DIGITS; digit++) { counters[own + digit] = 0u; }

  let end = chunk_range(column).end;
  var i = chunk_range(column).begin;
  for (; i + 3u < end; i += 4u) {
    let k0 = ordered_of(key_at(i));
    let k1 = ordered_of(key_at(i + 1u));
    let k2 = ordered_of(key_at(i + 2u));
    let k3 = ordered_of(key_at(i + 3u));
    counters[own + digit_at(k0, params.shift, MASK)] += 1u;
    counters[own + digit_at(k1, params.shift, MASK)] += 1u;
    counters[own + digit_at(k2, params.shift, MASK)] += 1u;
    counters[own + digit_at(k3, params.shift, MASK)] += 1u;
  }
  for (; i < end; i++) { counters[own + digit_at(ordered_of(key_at(i)), params.shift, MASK)] += 1u; }

  for (var digit = 0u; digit < DIGITS; digit++) {
    counts[count_at(column, digit)] = counters[own + digit];
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  var column = params.first_column + grid.workgroup.x * WORKGROUP_SIZE + invocation;
  while column < chunk_count() {
    count_chunk(column, invocation * DIGITS);
    if !IS_STRIDED { break; }
    column += grid.size.x * WORKGROUP_SIZE;
  }
}
