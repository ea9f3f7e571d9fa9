// Where a scatter finds the prefix sums of a chunk's counts, if there are many segments: column by column, as
// msd_scan.wgsl leaves them.

#import digit

// The index of the place where the segment's keys with a digit value start.
fn start_at(segment: u32, digit: u32) -> u32 {
  return segment * DIGITS + digit;
}

// The index of the number of keys with a digit value in the segment's earlier chunks.
fn count_at(chunk: u32, digit: u32) -> u32 {
  return chunk * DIGITS + digit;
}
