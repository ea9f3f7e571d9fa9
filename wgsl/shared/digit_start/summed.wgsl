// Finds where a chunk's keys with one digit value start, without a scan pass: each workgroup adds up the
// counts itself. That is faster if there are few columns.

#import digit
#import count_sums
#import radix_pass

alias DigitStart = DigitSum;

fn digit_start(digit: u32, column: u32) -> DigitStart {
  if digit >= DIGITS { return DigitStart(); }
  return sum_counts(digit, 0u, params.columns, column);
}
