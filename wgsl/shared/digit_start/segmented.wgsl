// Finds where a chunk's keys with one digit value start in their long segment, after segments_scan.wgsl has
// turned all counts into prefix sums. What they say of the segment's first key is not more than what was
// counted before the segment.

#import digit
#import chunk/segmented
#import count_order/segmented

@group(0) @binding(2) var<storage, read> counts: array<u32>;  // prefix sums, as count_order says

struct DigitStart {
  within: u32,  // where the chunk's keys with the digit value start
  total: u32,   // 0, as that includes the keys of other digit values
}

fn digit_start(digit: u32, column: u32) -> DigitStart {
  if digit >= DIGITS { return DigitStart(0u, 0u); }
  let first = chunk_range(column).first;
  let before = counts[count_at(column, digit)] - counts[start_at(first, digit)];
  return DigitStart(chunk_range(first).begin + before, 0u);
}
