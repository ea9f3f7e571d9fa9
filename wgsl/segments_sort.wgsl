// The second dispatch of a segmented sort. A workgroup sorts the keys of one window, with all of the short
// segment that the window ends in and without the one that it begins in, so these are sorted at once. It sorts
// by segment, then by key, and stably. What a window has of a longer segment becomes a sorted run, or stays
// as it is for other passes.
//
// Each segment is sorted by itself, by a bitonic network whose comparators all put the lesser item first (K. E.
// Batcher, "Sorting networks and their applications", 1968; D. E. Knuth, "The Art of Computer Programming",
// volume 3, exercise 5.3.4-16). So a comparator whose upper slot is past the end of the segment does nothing,
// and segments may have any number of keys.

#import key
#import grid
#import segments
#import segments_ends
#import segments_keys
#import segments_input
#import segments_values
#import segments_item
#import segments_heads
#import segments_grids
#import segments_sorter
#constant WORKGROUP_SIZE
#constant LOADS   // keys that an invocation loads at once
#constant MERGES  // 1 if longer segments are merged from sorted runs, 0 if other passes sort them


@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let window = linear_workgroup(workgroup, grid);
  if window >= params.windows { return; }
  let at = ends_of(window);
  var begin = at.begin;
  if at.first.begin < begin && is_short(at.first) { begin = min(at.first.end, at.end); }
  var end = at.end;
  if at.last.begin >= at.begin && is_short(at.last) { end = at.last.end; }
  let levels = vec2u(levels_of(at.first), levels_of(at.last));
  if MERGES == 0u {
    if levels.x > 0u { begin = min(at.first.end, at.end); }
    if levels.y > 0u && at.last.begin >= at.begin { end = max(at.last.begin, begin); }
    if begin >= end { return; }
  }
  let count = end - begin;
  if MERGES == 1u && at.last.begin >= at.begin {
    for (var level = invocation; level < levels.y; level += WORKGROUP_SIZE) { grow_grid(level); }
  }

  // The keys before the first segment and after the last one stay where they are.
  let sorted_begin = clamp(offset_at(0u), begin, end) - begin;
  let sorted_end = clamp(offset_at(params.segments), begin, end) - begin;

  clear_heads(invocation);
  start_sorting(invocation);
  workgroupBarrier();
  for (var batch = 0u; batch < count; batch += LOADS * WORKGROUP_SIZE) {
    // All are loaded before any is stored, so that the loads are in flight together, and with those of heads.
    let first = batch + invocation;
    var keys: array<Key, LOADS>;
    for (var i = 0u; i < LOADS; i++) { // unroll
      keys[i] = input_at(begin + min(first + i * WORKGROUP_SIZE, count - 1u));
    }
    if batch == 0u { mark_heads(at.numbers, begin, end, invocation); }
    for (var i = 0u; i < LOADS; i++) { // unroll
      if first + i * WORKGROUP_SIZE < count { put_key(first + i * WORKGROUP_SIZE, keys[i]); }
    }
  }
  workgroupBarrier();

  sort_slots(sorted_begin, sorted_end, count, invocation);

  for (var slot = invocation; HAS_VALUES && slot < count; slot += WORKGROUP_SIZE) {
    put_source(slot, value_at(begin + source_at(slot), false));
  }
  // Values may be replaced in their buffer, so all must have been read.
  if HAS_VALUES { storageBarrier(); }
  for (var slot = invocation; slot < count; slot += WORKGROUP_SIZE) {
    let place = begin + slot;
    // Without merges there may be no other buffer.
    let odd = MERGES == 1u && ((place < at.first.end && levels.x % 2u == 1u) ||
      (place >= at.last.begin && levels.y % 2u == 1u));
    put_ordered(place, odd, key_at(slot));
    if HAS_VALUES { put_value(place, odd, source_at(slot)); }
  }
}
