// Finds where a chunk's keys with one digit value start in their long segment, after segments_serial_scan.wgsl
// has turned the counts into prefix sums.

#import digit
#import chunk/segmented
#family segments

// Chunk by chunk. The first chunk of a segment has the total of the segment.
@group(0) @binding(2) var<storage, read> counts: array<u32>;

struct DigitStart {
  within: u32,  // where the keys with the digit value would start if no keys had smaller ones
  total: u32,   // keys with the digit value in all chunks of the segment
}

fn digit_start(digit: u32, column: u32) -> DigitStart {
  let first = chunk_range(column).first;
  let before = select(counts[column * DIGITS + digit], 0u, column == first);
  return DigitStart(chunk_range(first).begin + before, counts[first * DIGITS + digit]);
}
