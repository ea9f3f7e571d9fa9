// Finds where a listed chunk's keys with one digit value start in their segment, after msd_scan.wgsl has turned
// the counts into prefix sums.

#import digit
#import chunk/listed

@group(0) @binding(2) var<storage, read> counts: array<u32>;  // prefix sums, column by column
@group(0) @binding(3) var<storage, read> starts: array<u32>;  // of the segments that the keys move to

struct DigitStart {
  within: u32,  // where the chunk's keys with the digit value start
  total: u32,   // 0, as the starts include the keys of other digit values
}

fn digit_start(digit: u32, column: u32) -> DigitStart {
  if digit >= DIGITS { return DigitStart(0u, 0u); }
  let segment = chunk_range(column).segment;
  return DigitStart(starts[segment * DIGITS + digit] + counts[column * DIGITS + digit], 0u);
}
