// For a sort all of whose segments must fit one tile.

#constant SEGMENT_KEYS  // the maximum number of keys of a segment that the local sort can sort

const LONGEST = SEGMENT_KEYS;

fn note_segment(number: u32, count: u32) {
}
