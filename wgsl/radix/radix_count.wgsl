// The count step of a radix sort's move, for the workgroup and subgroup families. One dispatch counts the
// keys of each digit value in each chunk. A workgroup counts one chunk with counters in workgroup memory and
// writes one column of counts. An invocation adds every WORKGROUP_SIZE-th key of the chunk to the counters.
// The first count of a fallback also finds the bits in which keys differ (differing_bits.wgsl), and the last one
// restores decimals instead (converted_decimals.wgsl).
// src/core/sort/radix/radix.ts explains the order of the steps.

#import key
#import digit
#import radix_pass
#import radix_keys
#import chunk
#import count_order
#import status
#import grid
#constant WORKGROUP_SIZE
#constant LOADS    // keys that an invocation loads at once
#constant MASK            // the digit's mask: see digit.wgsl

@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

var<workgroup> counters: array<atomic<u32>, DIGITS>;

#if group_count/even|segmented
// Groups are neighbouring chunks, whose counts are added up, so that a scatter pass has fewer counts to add up.
#constant GROUP_CHUNKS  // chunks per group
#constant GROUPS        // number of the binding

@group(0) @binding(GROUPS) var<storage, read_write> group_counts: array<atomic<u32>>;  // DIGITS per group

// Whether a chunk counts for its group: if all of the group lies in the same segment.
fn counts_in_group(chunk: u32) -> bool {
#if group_count/segmented
#import segments_groups
  let range = chunk_range(chunk);
  let group = chunk / GROUP_CHUNKS;
  let groups = whole_groups(range.first, range.count);
  return group >= groups.x && group < groups.y;
#else
  return true;
#end
}
#end

#if differing_bits/published
#import compared
#import difference
#import differing_bits
#import bias
var<workgroup> runs: u32;
var<private> first_key: Key;
// In which bits the keys that the invocation has counted differ from the first key of all.
var<private> difference: Key;
#end

fn count(key: Key) {
  let ordered = ordered_of(key);
  atomicAdd(&counters[digit_at(ordered, params.shift, MASK)], 1u);
#if differing_bits/published
  difference |= difference_of(ordered, first_key);
#end
}

fn count_chunk(column: u32, invocation: u32) {
  let range = chunk_range(column);
  let end = range.end;
  var at = range.begin + invocation;
  // LOADS loads in flight hide the memory's latency. The first ones are in flight while the workgroup
  // clears its counters.
  var keys: array<Key, LOADS>;
  var are_loaded = at + (LOADS - 1u) * WORKGROUP_SIZE < end;
  if are_loaded {
    #unroll
    for (var i = 0u; i < LOADS; i++) {
      keys[i] = key_at(at + i * WORKGROUP_SIZE);
    }
  }
  for (var d = invocation; d < DIGITS; d += WORKGROUP_SIZE) { atomicStore(&counters[d], 0u); }
#if differing_bits/published
  clear_difference(invocation);
  first_key = compared(ordered_of(key_at(0u)));
#end
  workgroupBarrier();

  while are_loaded {
    #unroll
    for (var i = 0u; i < LOADS; i++) {
      count(keys[i]);
    }
    at += LOADS * WORKGROUP_SIZE;
    are_loaded = at + (LOADS - 1u) * WORKGROUP_SIZE < end;
    if are_loaded {
      #unroll
      for (var i = 0u; i < LOADS; i++) {
        keys[i] = key_at(at + i * WORKGROUP_SIZE);
      }
    }
  }
  for (; at < end; at += WORKGROUP_SIZE) { count(key_at(at)); }
#if differing_bits/published
  add_difference(with_first_distance(difference, first_key));
#end
  workgroupBarrier();
#if differing_bits/published
  publish_difference(invocation);
#end

  for (var d = invocation; d < DIGITS; d += WORKGROUP_SIZE) {
    let count = atomicLoad(&counters[d]);
    counts[count_at(column, d)] = count;
#if group_count/even|segmented
    if count > 0u && counts_in_group(column) {
      atomicAdd(&group_counts[column / GROUP_CHUNKS * DIGITS + d], count);
    }
#end
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
#if decimals/restored
#import converted_decimals
  if are_decimals() {
    convert_keys(grid, invocation);
    return;
  }
#end
  var column = column_of(grid.workgroup);
  if column >= chunk_count() { return; }
#if differing_bits/published
  // WGSL does not take what is loaded from a buffer that the dispatch may write for uniform, so one invocation
  // loads it for all.
  if invocation == 0u { runs = select(0u, 1u, must_run()); }
  if workgroupUniformLoad(&runs) == 0u { return; }
#else
  if !must_run() { return; }
#end
#if differing_bits/read
#import differing_bits
  if is_skipped() { return; }
#end
  loop {
    // An invocation clears the counters that it has written to memory.
    count_chunk(column, invocation);
    column += grid.size.x * grid.size.y;
    if !IS_STRIDED || column >= chunk_count() { break; }
  }
}
