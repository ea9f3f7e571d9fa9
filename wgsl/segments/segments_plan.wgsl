// The first dispatch of a segmented sort. An invocation finds the segments at both ends of a window, so that
// no later pass must look for them, and which keys are sorted with the window: with all of the short segment
// that it ends in, and without the one that it begins in. It also clears what later passes fill in: the lists
// of longer segments, and the counts of groups of their chunks.

#import grid
#import segments
#constant WORKGROUP_SIZE
#constant WINDOW_KEYS  // keys per window
#constant PROBES       // offsets that are loaded at once

#if segments_start/lists|lists_and_groups
#constant START  // number of the first of these bindings

@group(0) @binding(START) var<storage, read_write> lists: array<u32>;
#end
#if segments_start/lists_and_groups
@group(0) @binding(START + 1u) var<storage, read_write> group_counts: array<u32>;
#end

// Clears the lists that segments_sort.wgsl or segments_serial_sort.wgsl fills, and the counts of groups that
// the first count pass adds to, if there are any.
fn clear_start(i: u32, invocations: u32) {
#if segments_start/lists|lists_and_groups
  if i < 4u { lists[i] = 0u; }
#end
#if segments_start/lists_and_groups
  for (var at = i; at < arrayLength(&group_counts); at += invocations) { group_counts[at] = 0u; }
#end
}

@group(0) @binding(1) var<storage, read_write> ends: array<vec4u>;  // see segments_ends.wgsl

// How many offsets are at most `position`: a number from `least` to `most`. A binary search would wait for
// three times as many loads.
fn offsets_within(position: u32, least: u32, most: u32) -> u32 {
  var low = least;
  var high = most;
  while low < high {
    let step = (high - low + PROBES) / (PROBES + 1u);
    var before = 0u;
    #unroll
    for (var i = 0u; i < PROBES; i++) {
      let probe = low + (i + 1u) * step - 1u;
      let is_before = offset_at(min(probe, high - 1u)) <= position;
      before += select(0u, 1u, probe < high && is_before);
    }
    if before < PROBES { high = min(high, low + (before + 1u) * step - 1u); }
    low += before * step;
  }
  return low;
}

// The same, where `least` offsets are at most another position, less than a window before this one.
fn offsets_after(position: u32, least: u32) -> u32 {
  let all = params.segments + 1u;
  let near = min(all, least + WINDOW_KEYS);
  // A window has more offsets than keys only if segments are empty.
  if near < all && offset_at(near) <= position { return offsets_within(position, near, all); }
  return offsets_within(position, least, near);
}

// The keys that are sorted with a window.
fn keys_of(begin: u32, end: u32, first: Segment, last: Segment) -> vec2u {
  var keys = vec2u(begin, end);
  if first.begin < begin && is_short(first) { keys.x = min(first.end, end); }
  if last.begin >= begin && is_short(last) { keys.y = last.end; }
  // Other passes sort the segments that no window holds.
  if is_across(first) { keys.x = min(first.end, end); }
  if is_across(last) && last.begin >= begin { keys.y = max(last.begin, keys.x); }
  return keys;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let window = linear_workgroup(grid) * WORKGROUP_SIZE + invocation;
  clear_start(window, grid.size.x * grid.size.y * WORKGROUP_SIZE);
  if window >= params.windows { return; }
  let begin = window * WINDOW_KEYS;
  let end = min(begin + WINDOW_KEYS, params.key_count);
  let first = offsets_within(begin, 0u, params.segments + 1u);
  let last = offsets_after(end - 1u, first);
  let keys = keys_of(begin, end, segment_at(begin, first), segment_at(end - 1u, last));
  ends[window] = vec4u(first, last, keys);
}
