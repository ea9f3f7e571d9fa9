// The count step of a radix sort's move, for the workgroup and subgroup families. One dispatch counts the
// keys of each digit value in each chunk. A workgroup counts one chunk with counters in workgroup memory and
// writes one column of counts. A program may have it take a sample of the keys first (chunk_sample). An
// invocation adds every WORKGROUP_SIZE-th key of the chunk to the counters.
// src/core/sort/radix/radix.ts explains the order of the steps.

#import key
#import digit
#import normalization
#import radix_pass
#import radix_keys
#import extra_count
#import chunk
#import count_order
#import group_count
#import condition
#import chunk_sample
#import outliers
#import low_cardinality_count
#constant WORKGROUP_SIZE
#constant KEYS_AT_ONCE    // keys that an invocation loads at once
#constant MASK            // the digit's mask: see digit.wgsl

@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

var<workgroup> counters: array<atomic<u32>, DIGITS>;

fn count(key: Key) {
  let ordered = ordered_of(key);
  atomicAdd(&counters[digit_at(stretched(normalized(ordered), stretch()), params.shift, MASK)], 1u);
  count_extra(ordered);
  note_outlier(ordered);
}

fn count_chunk(column: u32, invocation: u32) {
  let range = chunk_range(column);
  let end = range.end;
  var at = range.begin + invocation;
  // KEYS_AT_ONCE loads in flight hide the memory's latency. The first ones are in flight while the workgroup
  // takes a sample and clears its counters.
  var keys: array<Key, KEYS_AT_ONCE>;
  var are_loaded = at + (KEYS_AT_ONCE - 1u) * WORKGROUP_SIZE < end;
  if are_loaded {
    #unroll
    for (var i = 0u; i < KEYS_AT_ONCE; i++) {
      keys[i] = key_at(at + i * WORKGROUP_SIZE);
    }
  }
  sample_first(column, invocation);
  clear_extra_count(invocation);
  clear_outliers(invocation);
  for (var d = invocation; d < DIGITS; d += WORKGROUP_SIZE) { atomicStore(&counters[d], 0u); }
  workgroupBarrier();

  while are_loaded {
    #unroll
    for (var i = 0u; i < KEYS_AT_ONCE; i++) {
      count(keys[i]);
    }
    at += KEYS_AT_ONCE * WORKGROUP_SIZE;
    are_loaded = at + (KEYS_AT_ONCE - 1u) * WORKGROUP_SIZE < end;
    if are_loaded {
      #unroll
      for (var i = 0u; i < KEYS_AT_ONCE; i++) {
        keys[i] = key_at(at + i * WORKGROUP_SIZE);
      }
    }
  }
  for (; at < end; at += WORKGROUP_SIZE) { count(key_at(at)); }
  report_outliers();
  workgroupBarrier();

  for (var d = invocation; d < DIGITS; d += WORKGROUP_SIZE) {
    let count = atomicLoad(&counters[d]);
    counts[count_at(column, d)] = count + select(0u, outliers_marked(), d == 0u);
    count_in_group(column, d, count);
  }
  write_extra_count(column, invocation);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  var column = column_of(workgroup);
  if column >= chunk_count() { return; }
  if counts_distinct() {
    count_distinct(column, invocation);
    return;
  }
  if !must_run() { return; }
  loop {
    // An invocation clears the counters that it has written to memory.
    count_chunk(column, invocation);
    column = column_after(column, grid);
    if !TAKES_MORE || column >= chunk_count() { break; }
  }
}
