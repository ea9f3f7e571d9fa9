// The count step of a radix sort's move, for the workgroup and subgroup families. One dispatch counts the
// keys of each digit value in each chunk. A workgroup counts one chunk with counters in workgroup memory and
// writes one column of counts. A program may have it look at a sample of the keys first (first_look). An invocation adds every WORKGROUP_SIZE-th key of the chunk to the counters.
// src/core/sort/radix.ts explains how the steps work together.

#import key
#import digit
#import rotation
#import radix_pass
#import radix_keys
#import extra_count
#import chunk
#import count_order
#import group_count
#import condition
#import first_look
#import outliers
#import few_count
#constant WORKGROUP_SIZE
#constant MASK            // the digit's mask: see digit.wgsl

@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

var<workgroup> counters: array<atomic<u32>, DIGITS>;

fn count(key: Key) {
  let ordered = ordered_of(key);
  atomicAdd(&counters[digit_at(rotated(ordered), params.shift, MASK)], 1u);
  count_extra(ordered);
  note_outlier(ordered);
}

fn count_chunk(column: u32, invocation: u32) {
  clear_extra_count(column, invocation);
  clear_outliers(invocation);
  for (var d = invocation; d < DIGITS; d += WORKGROUP_SIZE) { atomicStore(&counters[d], 0u); }
  workgroupBarrier();

  let range = chunk_range(column);
  let end = range.end;
  var i = range.begin + invocation;
  // Eight loads in flight hide the memory's latency.
  for (; i + 7u * WORKGROUP_SIZE < end; i += 8u * WORKGROUP_SIZE) {
    let k0 = key_at(i);
    let k1 = key_at(i + WORKGROUP_SIZE);
    let k2 = key_at(i + 2u * WORKGROUP_SIZE);
    let k3 = key_at(i + 3u * WORKGROUP_SIZE);
    let k4 = key_at(i + 4u * WORKGROUP_SIZE);
    let k5 = key_at(i + 5u * WORKGROUP_SIZE);
    let k6 = key_at(i + 6u * WORKGROUP_SIZE);
    let k7 = key_at(i + 7u * WORKGROUP_SIZE);
    count(k0);
    count(k1);
    count(k2);
    count(k3);
    count(k4);
    count(k5);
    count(k6);
    count(k7);
  }
  for (; i < end; i += WORKGROUP_SIZE) { count(key_at(i)); }
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
  if counts_few() {
    count_few(column, invocation);
    return;
  }
  if !is_wanted() { return; }
  look_first(column, invocation);
  loop {
    // An invocation clears the counters that it has written to memory.
    count_chunk(column, invocation);
    column = column_after(column, grid);
    if !TAKES_MORE || column >= chunk_count() { break; }
  }
}
