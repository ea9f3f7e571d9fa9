// Finds where a chunk's keys with one digit value start, after a scan pass has turned the counts into prefix
// sums.

#import digit
#import radix_pass

@group(0) @binding(2) var<storage, read> counts: array<u32>;   // prefix sums, row by row
@group(0) @binding(3) var<storage, read> totals: array<u32>;   // keys with each digit value

struct DigitStart {
  within: u32,  // keys with the digit value in earlier columns
  total: u32,   // keys with the digit value in all columns
}

fn digit_start(digit: u32, column: u32) -> DigitStart {
  if digit >= DIGITS { return DigitStart(0u, 0u); }
  return DigitStart(counts[digit * params.columns + column], totals[digit]);
}
