// Adds up the counts of a digit value over groups of neighbouring chunks.

#import digit
#import count_sums
#constant GROUP_CHUNKS  // chunks per group
#constant LOADS         // counts that are loaded at once
#constant GROUPS        // number of the first of two bindings

@group(0) @binding(GROUPS) var<storage, read> group_counts: array<u32>;              // DIGITS per group
// The counts of groups that the next count pass adds to.
@group(0) @binding(GROUPS + 1u) var<storage, read_write> cleared_groups: array<u32>;

// Like sum_counts, but of groups.
fn sum_groups(digit: u32, first: u32, end: u32, group: u32) -> DigitSum {
  var sum = DigitSum();
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
