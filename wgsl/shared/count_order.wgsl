#if count_order/columns
// Where the counts of a chunk are, and their prefix sums, if there are many segments or no scan: column by
// column, as msd_scan.wgsl scans them.

#import digit

// The index of the place where the segment's keys with a digit value start.
fn start_at(segment: u32, digit: u32) -> u32 {
  return segment * DIGITS + digit;
}

// The index of the number of keys with a digit value in the segment's earlier chunks.
fn count_at(chunk: u32, digit: u32) -> u32 {
  return chunk * DIGITS + digit;
}

#elif count_order/rows
// Where the counts of a chunk are, and their prefix sums, if all keys are one segment: row by row, as
// radix_scan.wgsl scans them.

#import radix_pass

// The index of the place where the keys with a digit value start.
fn start_at(segment: u32, digit: u32) -> u32 {
  return digit;
}

// The index of the number of keys with a digit value in the segment's earlier chunks.
fn count_at(chunk: u32, digit: u32) -> u32 {
  return digit * params.columns + chunk;
}

#end
