// Segments that follow each other. An earlier pass has written where they start.

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
