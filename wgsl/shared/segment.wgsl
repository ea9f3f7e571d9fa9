#if segment/listed
// Segments that follow each other. An earlier pass has written where they start.

#import msd_local_params
#constant STARTS  // number of the binding

struct SegmentRange {
  begin: u32,
  count: u32,
}

@group(0) @binding(STARTS) var<storage, read> starts: array<u32>;  // of each segment; then the number of keys

fn segment_range(segment: u32) -> SegmentRange {
  let begin = starts[segment];
  return SegmentRange(begin, starts[segment + 1u] - begin);
}

// The number of segments to sort.
fn segment_count() -> u32 {
  return params.segments;
}

// The number of the segment that comes at a place among those to sort.
fn segment_number(place: u32) -> u32 {
  return place;
}

#elif segment/long
// Of segments that follow each other, those that an earlier pass has listed, as they do not fit the tiles of
// another local sort.

#constant STARTS         // number of the binding
#constant LONG_SEGMENTS  // number of the binding

struct SegmentRange {
  begin: u32,
  count: u32,
}

struct LongSegments {
  count: u32,
  numbers: array<u32>,
}

@group(0) @binding(STARTS) var<storage, read> starts: array<u32>;  // of each segment; then the number of keys
@group(0) @binding(LONG_SEGMENTS) var<storage, read> long_segments: LongSegments;

fn segment_range(segment: u32) -> SegmentRange {
  let begin = starts[segment];
  return SegmentRange(begin, starts[segment + 1u] - begin);
}

// The number of segments to sort.
fn segment_count() -> u32 {
  return long_segments.count;
}

// The number of the segment that comes at a place among those to sort.
fn segment_number(place: u32) -> u32 {
  return long_segments.numbers[place];
}

#end
