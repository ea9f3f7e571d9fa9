// The second dispatch of a segmented sort on software adapters. An invocation sorts the short segments that
// begin in its window, one after another, and lists the longer ones for the passes that move chunks. It sorts
// runs of a few keys by insertion, and merges pairs of runs from one buffer to the other. It shares no keys
// with the others, so it needs no barriers for them.

#import grid
#import segments
#import segments_ends
#import segments_keys
#import segments_lister
#constant WORKGROUP_SIZE
#constant WINDOW_KEYS  // keys per window
#constant RUN          // keys that are sorted by insertion, or twice as many

// Sorts a run by insertion, and writes it to the even buffer.
fn insert_run(begin: u32, end: u32) {
  for (var next = begin; next < end; next++) {
    let key = input_at(next);
    let value = value_at(next);
    var at = next;
    loop {
      if at == begin { break; }
      let before = ordered_in(at - 1u, false);
      if !goes_before(key, before) { break; }
      put_ordered(at, false, before);
      if HAS_VALUES { put_value(at, false, value_in(at - 1u, false)); }
      at -= 1u;
    }
    put_ordered(at, false, key);
    if HAS_VALUES { put_value(at, false, value); }
  }
}

// Merges pairs of runs into the other buffer. Of equal keys, those of the left run go first.
fn merge_runs(first: u32, last: u32, run: u32, odd: bool) {
  for (var begin = first; begin < last; begin += 2u * run) {
    let middle = min(begin + run, last);
    let end = min(middle + run, last);
    var a = begin;
    var b = middle;
    var left = ordered_in(a, odd);
    var right = ordered_in(min(b, end - 1u), odd);
    for (var place = begin; place < end; place++) {
      let takes_right = b < end && (a >= middle || goes_before(right, left));
      put_ordered(place, !odd, select(left, right, takes_right));
      if HAS_VALUES { put_value(place, !odd, value_in(select(a, b, takes_right), odd)); }
      a += select(1u, 0u, takes_right);
      b += select(0u, 1u, takes_right);
      let next = ordered_in(min(select(a, b, takes_right), end - 1u), odd);
      left = select(next, left, takes_right);
      right = select(right, next, takes_right);
    }
  }
}

fn sort_segment(begin: u32, end: u32) {
  // An even number of merges ends in the even buffer.
  var run = RUN;
  while run < end - begin { run *= 4u; }
  run = select(RUN, 2u * RUN, run >= 2u * (end - begin));
  for (var at = begin; at < end; at += run) { insert_run(at, min(at + run, end)); }
  for (; run < end - begin; run *= 4u) {
    merge_runs(begin, end, run, false);
    merge_runs(begin, end, 2u * run, true);
  }
}

// Keys before the first segment and after the last one stay where they are.
fn keep_keys(begin: u32, end: u32) {
  for (var at = begin; at < end; at++) { insert_run(at, at + 1u); }
}

fn sort_window(window: u32) {
  let window_begin = window * WINDOW_KEYS;
  let window_end = min(window_begin + WINDOW_KEYS, params.key_count);
  keep_keys(window_begin, min(window_end, offset_at(0u)));
  keep_keys(max(window_begin, offset_at(params.segments)), window_end);
  let last = min(ends[window].y, params.segments);
  // A segment's number is one less than that of the offset at which it ends.
  for (var number = max(ends[window].x, 1u); number <= last;) {
    let segment = Segment(offset_at(number - 1u), offset_at(number), true);
    number += 1u;
    if segment.end <= segment.begin {
      // There may be many empty ones.
      number = offsets_up_to(segment.begin, number, last);
    } else if is_listed(segment, window_begin) {
      list_segment(number - 2u, segment.begin, segment.end);
    } else if is_short(segment) && segment.begin - window_begin < WINDOW_KEYS {
      sort_segment(segment.begin, segment.end);
    }
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  start_listing(invocation);
  workgroupBarrier();
  let window = linear_workgroup(grid) * WORKGROUP_SIZE + invocation;
  if window < params.windows { sort_window(window); }
  workgroupBarrier();
  finish_listing(invocation);
}
