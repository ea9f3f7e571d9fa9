// Finds where a chunk's keys with one digit value start in their long segment. Each workgroup adds up the
// counts of the segment's chunks itself: those of whole groups at once.

#import digit
#import count_sums
#import group_sums
#import segments_groups
#import chunk/segmented
#family segments
#constant GROUP_CHUNKS  // chunks per group

alias DigitStart = DigitSum;

fn digit_start(digit: u32, column: u32) -> DigitStart {
  if digit >= DIGITS { return DigitStart(); }
  clear_group(digit, column);
  let range = chunk_range(column);
  let last = range.first + range.count;
  let group = column / GROUP_CHUNKS;
  let groups = whole_groups(range.first, range.count);
  var sum = DigitSum();
  if groups.x >= groups.y {
    sum = sum_counts(digit, range.first, last, column);
  } else {
    let whole = sum_groups(digit, groups.x, groups.y, group);
    let before = sum_counts(digit, range.first, groups.x * GROUP_CHUNKS, column);
    let after = sum_counts(digit, groups.y * GROUP_CHUNKS, last, column);
    sum = DigitSum(whole.within + before.within + after.within, whole.total + before.total + after.total);
    if group >= groups.x && group < groups.y {
      sum.within += sum_counts(digit, group * GROUP_CHUNKS, column, column).within;
    }
  }
  return DigitStart(chunk_range(range.first).begin + sum.within, sum.total);
}
