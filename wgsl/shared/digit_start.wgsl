#if digit_start/grouped
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

#elif digit_start/listed
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

#elif digit_start/scanned
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

#elif digit_start/segmented
// Finds where a chunk's keys with one digit value start in their long segment. Each workgroup adds up the
// counts of the segment's chunks itself: those of whole groups at once.

#import digit
#import count_sums
#import group_sums
#import segments_groups
#import chunk/segmented
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

#elif digit_start/segmented_scanned
// Finds where a chunk's keys with one digit value start in their long segment, after segments_serial_scan.wgsl
// has turned the counts into prefix sums.

#import digit
#import chunk/segmented

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

#elif digit_start/summed
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

#end
