// Finds where a chunk's keys with one digit value start, without a scan pass: each workgroup adds up the
// counts itself. That is faster if there are few columns.

#import digit_sums

alias DigitStart = DigitSum;

fn digit_start(digit: u32, column: u32) -> DigitStart {
  return sum_columns(digit, column);
}
