// All keys are one segment.

#import msd_local_params

struct SegmentRange {
  begin: u32,
  count: u32,
}

fn segment_range(segment: u32) -> SegmentRange {
  return SegmentRange(0u, params.key_count);
}
