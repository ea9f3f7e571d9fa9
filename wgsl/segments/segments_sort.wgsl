// The second dispatch of a segmented sort. A workgroup sorts the keys of a window, with all of the short
// segment that the window ends in and without the one that it begins in, so no other pass sorts these. It sorts
// by segment, then by key, and stably. What a window has of a longer segment stays as it is for other passes,
// which it is listed for.
//
// Slot 0 of a tile is for the window's first key, whichever keys are sorted here.
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
#import segments_item
#import segments_lister
#import segments_sorter
#constant WORKGROUP_SIZE
#constant LOADS    // keys that an invocation loads at once
#constant WINDOW_KEYS

alias Keys = array<Key, LOADS>;

// Loads keys of a tile, from a slot on: all before any is stored, so that the loads are in flight at once.
fn keys_from(tile_begin: u32, slot: u32) -> Keys {
  var keys: Keys;
  #unroll
  for (var i = 0u; i < LOADS; i++) {
    let place = tile_begin + min(slot + i * WORKGROUP_SIZE, TILE - 1u);
    keys[i] = input_at(min(place, params.key_count - 1u));
  }
  return keys;
}

fn put_keys(keys: Keys, slot: u32) {
  #unroll
  for (var i = 0u; i < LOADS; i++) {
    if slot + i * WORKGROUP_SIZE < TILE { put_key(slot + i * WORKGROUP_SIZE, keys[i]); }
  }
}

// Stores the keys from slot `begin` to `end` - 1 of the tile.
fn store_slots(window: u32, begin: u32, end: u32, invocation: u32) {
  let tile_begin = window * WINDOW_KEYS;
  for (var slot = invocation; HAS_VALUES && slot < end; slot += WORKGROUP_SIZE) {
    if slot >= begin { put_source(slot, value_at(tile_begin + source_at(slot))); }
  }
  // Values may be replaced in their buffer, so all must have been read.
  if HAS_VALUES { storageBarrier(); }
  for (var slot = invocation; slot < end; slot += WORKGROUP_SIZE) {
    if slot >= begin {
      put_ordered(tile_begin + slot, false, key_at(slot));
      if HAS_VALUES { put_value(tile_begin + slot, false, source_at(slot)); }
    }
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let window = linear_workgroup(grid);
  if window >= params.windows { return; }
  let tile_begin = window * WINDOW_KEYS;
  let window_ends = ends[window];
  // Other passes may sort all of the window's keys.
  let is_left = window_ends.z >= window_ends.w;
  if is_left && !LISTS_SEGMENTS { return; }
  var keys: Keys;
  if !is_left { keys = keys_from(tile_begin, invocation); }
  let begin = window_ends.z - tile_begin;
  let end = window_ends.w - tile_begin;

  let ahead = segment_ahead(window_ends, tile_begin, invocation);
  start_listing(invocation);
  if !is_left {
    put_keys(keys, invocation);
    for (var slot = LOADS * WORKGROUP_SIZE + invocation; slot < end; slot += WORKGROUP_SIZE) {
      put_key(slot, input_at(tile_begin + slot));
    }
    start_sorting(window_ends, tile_begin, invocation);
  }
  workgroupBarrier();
  find_segments(ahead, window_ends, tile_begin, invocation);
  finish_listing(invocation);
  if is_left { return; }
  sort_slots(tile_begin, begin, end, invocation);
  store_slots(window, begin, end, invocation);
}
