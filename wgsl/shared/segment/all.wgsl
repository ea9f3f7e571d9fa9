// All keys are one segment.

#import msd_local_params

struct SegmentRange {
  begin: u32,
  count: u32,
}

fn segment_range(segment: u32) -> SegmentRange {
  return SegmentRange(0u, params.key_count);
}

// The number of segments to sort.
fn segment_count() -> u32 {
  return 1u;
}

// The number of the segment that comes at a place among those to sort.
fn segment_number(place: u32) -> u32 {
  return place;
}
