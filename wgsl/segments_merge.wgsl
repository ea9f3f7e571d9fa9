// A merge pass of a segmented sort. A workgroup makes the output of one window. In each block of 2 * 2^level
// windows, one segment at most lies on both sides of the middle; its two runs there are merged. Runs of other
// blocks are copied if their segment takes part in later passes, so that all of it is in one buffer at the end.
// The workgroup finds by binary search what its window takes of both runs (O. Green, R. McColl and D. Bader,
// "GPU merge path: a GPU merging algorithm", 2012), and each invocation finds its part of that in workgroup
// memory in the same way. Of equal keys, those of the left run go first.

#import key
#import grid
#import segments
#import segments_ends
#import segments_keys
#import segments_values
#constant WORKGROUP_SIZE
#constant WINDOW_KEYS          // keys per window
#constant KEYS_PER_INVOCATION  // of the window's output

// The keys of the window in their ordered form: those of the left run, then those of the right run.
var<workgroup> tile: array<Key, WINDOW_KEYS>;
// The slots of these keys in sorted order.
var<workgroup> sources: array<u32, WINDOW_KEYS>;
// The keys of the left run that go before the window's output, and before the end of it.
var<workgroup> splits: array<u32, 2>;

// Two neighbouring runs of a segment.
struct Runs {
  begin: u32,
  middle: u32,
  end: u32,
  odd: bool,  // which buffer they are in
}

// The number of keys of the left run among the first `count` merged keys.
fn split_runs(runs: Runs, count: u32) -> u32 {
  var low = count - min(count, runs.end - runs.middle);
  var high = min(count, runs.middle - runs.begin);
  while low < high {
    let middle = (low + high) / 2u;
    let right = ordered_in(runs.middle + count - 1u - middle, runs.odd);
    if goes_before(right, ordered_in(runs.begin + middle, runs.odd)) {
      high = middle;
    } else {
      low = middle + 1u;
    }
  }
  return low;
}

// The same for runs in the tile: one of `left` keys and then one up to `end`.
fn split_tile(left: u32, end: u32, count: u32) -> u32 {
  var low = count - min(count, end - left);
  var high = min(count, left);
  while low < high {
    let middle = (low + high) / 2u;
    if goes_before(tile[left + count - 1u - middle], tile[middle]) {
      high = middle;
    } else {
      low = middle + 1u;
    }
  }
  return low;
}

// Merges what a window has of a segment.
fn merge_part(segment: Segment, window: u32, window_begin: u32, window_end: u32, invocation: u32) {
  let block = (window >> (params.level + 1u)) << (params.level + 1u);
  let half = 1u << params.level;
  var runs: Runs;
  runs.begin = max(segment.begin, block * WINDOW_KEYS);
  runs.end = min(segment.end, (block + 2u * half) * WINDOW_KEYS);
  runs.middle = clamp((block + half) * WINDOW_KEYS, runs.begin, runs.end);
  runs.odd = (levels_of(segment) - params.level) % 2u == 1u;
  let begin = max(segment.begin, window_begin);
  let count = min(segment.end, window_end) - begin;

  workgroupBarrier();
  if invocation < 2u { splits[invocation] = split_runs(runs, begin - runs.begin + invocation * count); }
  workgroupBarrier();
  // If the offsets do not ascend, the runs may be out of order. All ranges must still be within them.
  let left = min(max(splits[1], splits[0]) - splits[0], count);
  let left_begin = runs.begin + splits[0];
  let right_begin = runs.middle + (begin - runs.begin) - splits[0];
  for (var slot = invocation; slot < count; slot += WORKGROUP_SIZE) {
    tile[slot] = ordered_in(select(right_begin + slot - left, left_begin + slot, slot < left), runs.odd);
  }
  workgroupBarrier();

  let first = min(invocation * KEYS_PER_INVOCATION, count);
  let last = min(first + KEYS_PER_INVOCATION, count);
  var a = split_tile(left, count, first);
  var b = left + first - a;
  for (var slot = first; slot < last; slot++) {
    let takes_b = b < count && (a >= left || goes_before(tile[b], tile[a]));
    sources[slot] = select(a, b, takes_b);
    if takes_b { b += 1u; } else { a += 1u; }
  }
  workgroupBarrier();

  for (var slot = invocation; slot < count; slot += WORKGROUP_SIZE) {
    let source = sources[slot];
    put_ordered(begin + slot, !runs.odd, tile[source]);
    if HAS_VALUES {
      let place = select(right_begin + source - left, left_begin + source, source < left);
      put_value(begin + slot, !runs.odd, value_at(place, runs.odd));
    }
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let window = linear_workgroup(workgroup, grid);
  if window >= params.windows { return; }
  let at = ends_of(window);
  if levels_of(at.first) > params.level {
    merge_part(at.first, window, at.begin, at.end, invocation);
  }
  if at.last.begin > at.begin && levels_of(at.last) > params.level {
    merge_part(at.last, window, at.begin, at.end, invocation);
  }
}
