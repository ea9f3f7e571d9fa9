#if long_segments/listed
// Lists the segments that do not fit the tile of the local sort. They are left to a second one of larger tiles.

#constant SEGMENT_KEYS   // the maximum number of keys of a segment that is not listed
#constant LONGEST_KEYS   // the maximum number of keys of a segment that the second local sort can sort
#constant LONG_SEGMENTS  // number of the binding

struct LongSegments {
  count: atomic<u32>,  // msd_plan.wgsl has set it to 0
  numbers: array<u32>,
}

@group(0) @binding(LONG_SEGMENTS) var<storage, read_write> long_segments: LongSegments;

const LONGEST = LONGEST_KEYS;

fn note_segment(number: u32, count: u32) {
  if count > SEGMENT_KEYS && count <= LONGEST {
    let at = atomicAdd(&long_segments.count, 1u);
    long_segments.numbers[at] = number;
  }
}

#else
// For a sort all of whose segments must fit one tile.

#constant SEGMENT_KEYS  // the maximum number of keys of a segment that the local sort can sort

const LONGEST = SEGMENT_KEYS;

fn note_segment(number: u32, count: u32) {
}

#end
