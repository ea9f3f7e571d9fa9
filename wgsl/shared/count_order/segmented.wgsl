// Where the counts of a chunk of a long segment are: segment by segment, then digit value by digit value, then
// chunk by chunk. One prefix sum over all of them gives the order in which a segment's keys are to be.

#import digit
#import chunk/segmented

// The index of the prefix sum of what is counted before a segment, given by the number of its first chunk.
fn start_at(segment: u32, digit: u32) -> u32 {
  return segment * DIGITS;
}

// The index of the number of keys with a digit value in a chunk, or of its prefix sum.
fn count_at(chunk: u32, digit: u32) -> u32 {
  let range = chunk_range(chunk);
  return range.first * DIGITS + digit * range.count + (chunk - range.first);
}
