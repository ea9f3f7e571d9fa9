// Finds where a chunk's keys with one digit value start, without a scan pass: each workgroup adds up the counts
// itself, those of other groups of chunks at once.

#import digit
#import count_sums
#import group_sums
#import radix_pass
#constant GROUP_CHUNKS  // chunks per group

alias DigitStart = DigitSum;

fn digit_start(digit: u32, column: u32) -> DigitStart {
  if digit >= DIGITS { return DigitStart(); }
  clear_group(digit, column);
  let group = column / GROUP_CHUNKS;
  let groups = (params.columns + GROUP_CHUNKS - 1u) / GROUP_CHUNKS;
  let others = sum_groups(digit, 0u, groups, group);
  let own = sum_counts(digit, group * GROUP_CHUNKS, column, column);
  return DigitStart(others.within + own.within, others.total);
}
