// Like summed.wgsl, but also writes the totals of the digit values, which the local sort after this pass
// needs.

#import digit
#import count_sums
#import radix_pass
#constant TOTALS  // number of the binding

alias DigitStart = DigitSum;

@group(0) @binding(TOTALS) var<storage, read_write> totals: array<u32>;   // keys with each digit value

fn digit_start(digit: u32, column: u32) -> DigitStart {
  if digit >= DIGITS { return DigitStart(); }
  let start = sum_counts(digit, 0u, params.columns, column);
  if column == 0u { totals[digit] = start.total; }
  return start;
}
