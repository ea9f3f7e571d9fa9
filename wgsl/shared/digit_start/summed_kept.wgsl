// Like summed.wgsl, but also writes the totals of the digit values, which the local sort after this pass
// needs.

#import digit_sums
#import digit
#constant TOTALS  // number of the binding

alias DigitStart = DigitSum;

@group(0) @binding(TOTALS) var<storage, read_write> totals: array<u32>;   // keys with each digit value

fn digit_start(digit: u32, column: u32) -> DigitStart {
  let start = sum_columns(digit, column);
  if column == 0u && digit < DIGITS { totals[digit] = start.total; }
  return start;
}
