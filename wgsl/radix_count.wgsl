// The count step of a radix sort's move, for the workgroup and subgroup families. One dispatch counts the
// keys of each digit value in each chunk. A workgroup counts one chunk with counters in workgroup memory and
// writes one column of counts. An invocation adds every WORKGROUP_SIZE-th key of the chunk to the counters.
// src/core/sort/radix.ts explains how the steps work together.

#import key
#import digit
#import rotation
#import radix_pass
#import radix_keys
#import extra_count
#import chunk
#import count_order
#import condition
#import outliers
#import few_count
#constant WORKGROUP_SIZE
#constant MASK            // the digit's mask: see digit.wgsl

@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

var<workgroup> counters: array<atomic<u32>, DIGITS>;

fn count(key: Key, is_rotated: bool) {
  let ordered = ordered_of(key);
  var moved = ordered;
  if is_rotated {
    moved = rotated(ordered);
    note_outlier(ordered);
  }
  atomicAdd(&counters[digit_at(moved, params.shift, MASK)], 1u);
  count_extra(ordered);
}

// Counts the keys of a chunk. `is_rotated` says whether all keys share bits, which are rotated away.
fn count_keys(range: ChunkRange, invocation: u32, is_rotated: bool) {
  let end = range.end;
  var i = range.begin + invocation;
  // Eight loads in flight hide the memory's latency.
  var keys: array<Key, 8>;
  for (; i + 7u * WORKGROUP_SIZE < end; i += 8u * WORKGROUP_SIZE) {
    for (var j = 0u; j < 8u; j++) { // unroll
      keys[j] = key_at(i + j * WORKGROUP_SIZE);
    }
    for (var j = 0u; j < 8u; j++) { // unroll
      count(keys[j], is_rotated);
    }
  }
  // So do those of the last keys, which would take as long as six such rounds one by one.
  for (var j = 0u; j < 8u; j++) { // unroll
    if i + j * WORKGROUP_SIZE < end { keys[j] = key_at(i + j * WORKGROUP_SIZE); }
  }
  for (var j = 0u; j < 8u; j++) { // unroll
    if i + j * WORKGROUP_SIZE < end { count(keys[j], is_rotated); }
  }
}

fn count_chunk(column: u32, invocation: u32) {
  clear_extra_count(column, invocation);
  for (var d = invocation; d < DIGITS; d += WORKGROUP_SIZE) { atomicStore(&counters[d], 0u); }
  workgroupBarrier();

  // Most keys share no bits. If no key is rotated, a sort of 2^24 keys takes 1% less time.
  let range = chunk_range(column);
  if rotated_bits() == 0u {
    count_keys(range, invocation, false);
  } else {
    count_keys(range, invocation, true);
  }
  report_outliers();
  workgroupBarrier();

  for (var d = invocation; d < DIGITS; d += WORKGROUP_SIZE) {
    counts[count_at(column, d)] = atomicLoad(&counters[d]);
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
  loop {
    // An invocation clears the counters that it has written to memory.
    count_chunk(column, invocation);
    column = column_after(column, grid);
    if !TAKES_MORE || column >= chunk_count() { break; }
  }
}
