// Finds where a chunk's keys with one digit value start in their long segment. Each workgroup adds up the
// counts of the segment's chunks itself: those of whole groups at once.

#import digit
#import segments_groups
#import chunk/segmented
#family segments
#constant GROUP_CHUNKS  // chunks per group
#constant LOADS         // counts that are loaded at once
#constant GROUPS        // number of the first of two bindings

@group(0) @binding(2) var<storage, read> counts: array<u32>;                         // DIGITS per chunk
@group(0) @binding(GROUPS) var<storage, read> group_counts: array<u32>;              // DIGITS per group
// The counts of groups that the next count pass adds to.
@group(0) @binding(GROUPS + 1u) var<storage, read_write> cleared_groups: array<u32>;

struct DigitStart {
  within: u32,  // where the chunk's keys with the digit value start, after those with smaller values
  total: u32,   // keys with the digit value in the segment
}

// Adds up the counts of chunks: those before a column, and all.
fn sum_chunks(digit: u32, first: u32, end: u32, column: u32) -> vec2u {
  var sum = vec2u();
  // All loads of a turn are in flight together. Those past the end count nothing.
  for (var i = first; i < end; i += LOADS) {
    var own: array<u32, LOADS>;
    for (var j = 0u; j < LOADS; j++) { // unroll
      own[j] = counts[min(i + j, end - 1u) * DIGITS + digit];
    }
    for (var j = 0u; j < LOADS; j++) { // unroll
      sum += vec2u(select(0u, own[j], i + j < min(end, column)), select(0u, own[j], i + j < end));
    }
  }
  return sum;
}

// The same for groups.
fn sum_groups(digit: u32, first: u32, end: u32, group: u32) -> vec2u {
  var sum = vec2u();
  for (var i = first; i < end; i += LOADS) {
    var own: array<u32, LOADS>;
    for (var j = 0u; j < LOADS; j++) { // unroll
      own[j] = group_counts[min(i + j, end - 1u) * DIGITS + digit];
    }
    for (var j = 0u; j < LOADS; j++) { // unroll
      sum += vec2u(select(0u, own[j], i + j < min(end, group)), select(0u, own[j], i + j < end));
    }
  }
  return sum;
}

fn digit_start(digit: u32, column: u32) -> DigitStart {
  if digit >= DIGITS { return DigitStart(0u, 0u); }
  if column % GROUP_CHUNKS == 0u { cleared_groups[column / GROUP_CHUNKS * DIGITS + digit] = 0u; }
  let range = chunk_range(column);
  let last = range.first + range.count;
  let group = column / GROUP_CHUNKS;
  let groups = whole_groups(range.first, range.count);
  var sum = vec2u();
  if groups.x >= groups.y {
    sum = sum_chunks(digit, range.first, last, column);
  } else {
    sum = sum_groups(digit, groups.x, groups.y, group) +
      sum_chunks(digit, range.first, groups.x * GROUP_CHUNKS, column) +
      sum_chunks(digit, groups.y * GROUP_CHUNKS, last, column);
    if group >= groups.x && group < groups.y {
      sum.x += sum_chunks(digit, group * GROUP_CHUNKS, column, column).x;
    }
  }
  return DigitStart(chunk_range(range.first).begin + sum.x, sum.y);
}
