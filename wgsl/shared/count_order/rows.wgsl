// Where a scatter finds the prefix sums of a chunk's counts, if all keys are one segment: row by row, as
// radix_scan.wgsl leaves them.

#import radix_pass

// The index of the place where the keys with a digit value start.
fn start_at(segment: u32, digit: u32) -> u32 {
  return digit;
}

// The index of the number of keys with a digit value in the segment's earlier chunks.
fn count_at(chunk: u32, digit: u32) -> u32 {
  return digit * params.columns + chunk;
}
