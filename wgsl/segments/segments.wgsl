// Finds the segments of a segmented sort. Segment s has the keys from offsets[s] up to, but not including,
// offsets[s + 1]. The keys before the first segment and those after the last one are not sorted. Keys are
// processed in windows of WINDOW_KEYS; src/core/sort/segments/segments.ts explains how. Whatever the offsets
// are, all ranges lie within the keys, because the caller may have written them on the device.

#constant PARAMS       // number of the binding
#constant WINDOW_KEYS  // keys per window
#constant SHORT_KEYS   // a segment of at most this many keys is sorted with the window that it begins in

struct SegmentsParams {
  key_count: u32,
  segments: u32,  // there is one more offset
  windows: u32,
  mask_low: u32,  // the bits of the compared form that are sorted by: in its low word
  mask_high: u32, // and in its high word
  bit_begin: u32, // these bits again: the lowest
  bit_end: u32,   // and one past the highest
  chunk: u32,     // keys per chunk of a long segment
  chunks: u32,    // the most chunks that can be listed: see segments_lister.wgsl
  small: u32,     // the most small segments that can be
  medium: u32,    // and the most medium ones
}

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(PARAMS) var<uniform> params: SegmentsParams;

struct Segment {
  begin: u32,
  end: u32,
  sorted: bool,  // whether it is a segment, and not what is before the first one or after the last one
}

fn offset_at(i: u32) -> u32 {
  return min(offsets[i], params.key_count);
}

// How many offsets are at most `position`: a number from `least` to `most`.
fn offsets_up_to(position: u32, least: u32, most: u32) -> u32 {
  var low = least;
  var high = most;
  while low < high {
    let middle = low + (high - low) / 2u;
    if offset_at(middle) <= position { low = middle + 1u; } else { high = middle; }
  }
  return low;
}

// The segment in which a position lies. `number`: how many offsets are at most that position.
fn segment_at(position: u32, number: u32) -> Segment {
  var segment = Segment(0u, params.key_count, false);
  if number > 0u { segment.begin = min(offset_at(number - 1u), position); }
  if number <= params.segments { segment.end = max(offset_at(number), position + 1u); }
  segment.sorted = number > 0u && number <= params.segments;
  return segment;
}

fn is_short(segment: Segment) -> bool {
  return segment.sorted && segment.end - segment.begin <= SHORT_KEYS;
}

// Whether a segment is not short, and no window holds it.
fn is_across(segment: Segment) -> bool {
  return segment.sorted && !is_short(segment) &&
    segment.begin / WINDOW_KEYS != (segment.end - 1u) / WINDOW_KEYS;
}
