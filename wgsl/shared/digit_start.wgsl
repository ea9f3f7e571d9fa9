// Finds where a chunk's keys with one digit value start, in the output or in their segment. A pass has turned
// the counts into prefix sums ("scanned", "listed" and "segmented_scanned"), or each workgroup adds up those
// that it needs itself, which saves a pass: of single chunks if these are few ("summed"), or else of whole
// groups of neighbouring chunks at once ("grouped" and "segmented").

#import digit

// A chunk's keys with a digit value start at `within`, plus the sum of `total` of all smaller digit values.
struct DigitStart {
  within: u32,
  total: u32,
}

#if digit_start/summed|grouped|segmented
#constant LOADS  // counts that are loaded at once

@group(0) @binding(2) var<storage, read> counts: array<u32>;   // chunk by chunk, DIGITS per chunk

// Adds up the counts of the chunks from `first` up to, but not including, `end`: those before `chunk`, and all.
fn sum_counts(digit: u32, first: u32, end: u32, chunk: u32) -> DigitStart {
  var sum = DigitStart();
  // All loads of a turn are in flight at once, to hide the memory's latency. Those past the end count nothing.
  for (var i = first; i < end; i += LOADS) {
    var own: array<u32, LOADS>;
    #unroll
    for (var j = 0u; j < LOADS; j++) {
      own[j] = counts[min(i + j, end - 1u) * DIGITS + digit];
    }
    #unroll
    for (var j = 0u; j < LOADS; j++) {
      sum.within += select(0u, own[j], i + j < min(end, chunk));
      sum.total += select(0u, own[j], i + j < end);
    }
  }
  return sum;
}
#end

#if digit_start/grouped|segmented
#constant GROUP_CHUNKS  // chunks per group
#constant GROUPS        // number of the first of two bindings

@group(0) @binding(GROUPS) var<storage, read> group_counts: array<u32>;              // DIGITS per group
// The counts of groups that the next count pass adds to.
@group(0) @binding(GROUPS + 1u) var<storage, read_write> cleared_groups: array<u32>;

// Like sum_counts, but of groups.
fn sum_groups(digit: u32, first: u32, end: u32, group: u32) -> DigitStart {
  var sum = DigitStart();
  for (var i = first; i < end; i += LOADS) {
    var own: array<u32, LOADS>;
    #unroll
    for (var j = 0u; j < LOADS; j++) {
      own[j] = group_counts[min(i + j, end - 1u) * DIGITS + digit];
    }
    #unroll
    for (var j = 0u; j < LOADS; j++) {
      sum.within += select(0u, own[j], i + j < min(end, group));
      sum.total += select(0u, own[j], i + j < end);
    }
  }
  return sum;
}

// Clears the counts of the group that begins with a chunk, if one does.
fn clear_group(digit: u32, chunk: u32) {
  if chunk % GROUP_CHUNKS == 0u { cleared_groups[chunk / GROUP_CHUNKS * DIGITS + digit] = 0u; }
}
#end

#if digit_start/summed
#import radix_pass

fn digit_start(digit: u32, column: u32) -> DigitStart {
  if digit >= DIGITS { return DigitStart(); }
  return sum_counts(digit, 0u, params.columns, column);
}
#elif digit_start/grouped
#import radix_pass

fn digit_start(digit: u32, column: u32) -> DigitStart {
  if digit >= DIGITS { return DigitStart(); }
  clear_group(digit, column);
  let group = column / GROUP_CHUNKS;
  let groups = (params.columns + GROUP_CHUNKS - 1u) / GROUP_CHUNKS;
  let others = sum_groups(digit, 0u, groups, group);
  let own = sum_counts(digit, group * GROUP_CHUNKS, column, column);
  return DigitStart(others.within + own.within, others.total);
}
#elif digit_start/segmented
#import segments_groups
#import chunk/segmented

fn digit_start(digit: u32, column: u32) -> DigitStart {
  if digit >= DIGITS { return DigitStart(); }
  clear_group(digit, column);
  let range = chunk_range(column);
  let last = range.first + range.count;
  let group = column / GROUP_CHUNKS;
  let groups = whole_groups(range.first, range.count);
  var sum = DigitStart();
  if groups.x >= groups.y {
    sum = sum_counts(digit, range.first, last, column);
  } else {
    let whole = sum_groups(digit, groups.x, groups.y, group);
    let before = sum_counts(digit, range.first, groups.x * GROUP_CHUNKS, column);
    let after = sum_counts(digit, groups.y * GROUP_CHUNKS, last, column);
    sum = DigitStart(whole.within + before.within + after.within, whole.total + before.total + after.total);
    if group >= groups.x && group < groups.y {
      sum.within += sum_counts(digit, group * GROUP_CHUNKS, column, column).within;
    }
  }
  return DigitStart(chunk_range(range.first).begin + sum.within, sum.total);
}
#elif digit_start/scanned
#import radix_pass

@group(0) @binding(2) var<storage, read> counts: array<u32>;   // prefix sums, row by row
@group(0) @binding(3) var<storage, read> totals: array<u32>;   // keys with each digit value

fn digit_start(digit: u32, column: u32) -> DigitStart {
  if digit >= DIGITS { return DigitStart(0u, 0u); }
  return DigitStart(counts[digit * params.columns + column], totals[digit]);
}
#elif digit_start/listed
// After msd_scan.wgsl.
#import chunk/listed

@group(0) @binding(2) var<storage, read> counts: array<u32>;  // prefix sums, column by column
@group(0) @binding(3) var<storage, read> starts: array<u32>;  // of the segments that the keys move to

fn digit_start(digit: u32, column: u32) -> DigitStart {
  if digit >= DIGITS { return DigitStart(0u, 0u); }
  let segment = chunk_range(column).segment;
  // The starts include the keys of smaller digit values.
  return DigitStart(starts[segment * DIGITS + digit] + counts[column * DIGITS + digit], 0u);
}
#elif digit_start/segmented_scanned
// After segments_serial_scan.wgsl.
#import chunk/segmented

// Chunk by chunk. The first chunk of a segment has the total of the segment.
@group(0) @binding(2) var<storage, read> counts: array<u32>;

fn digit_start(digit: u32, column: u32) -> DigitStart {
  let first = chunk_range(column).first;
  let before = select(counts[column * DIGITS + digit], 0u, column == first);
  return DigitStart(chunk_range(first).begin + before, counts[first * DIGITS + digit]);
}
#end
