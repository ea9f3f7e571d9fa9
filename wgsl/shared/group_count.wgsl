#if group_count/even
// Adds up the counts of neighbouring chunks, a group, so that a scatter pass has fewer counts to add up.

#import digit
#constant GROUP_CHUNKS  // chunks per group
#constant GROUPS        // number of the binding

@group(0) @binding(GROUPS) var<storage, read_write> group_counts: array<atomic<u32>>;  // DIGITS per group

// Counts these keys of a chunk also for its group.
fn count_in_group(chunk: u32, digit: u32, count: u32) {
  if count > 0u { atomicAdd(&group_counts[chunk / GROUP_CHUNKS * DIGITS + digit], count); }
}

#elif group_count/segmented
// Adds up the counts of neighbouring chunks of a long segment, a group, so that a scatter pass has fewer counts
// to add up.

#import digit
#import segments_groups
#import chunk/segmented
#constant GROUP_CHUNKS  // chunks per group
#constant GROUPS        // number of the binding

@group(0) @binding(GROUPS) var<storage, read_write> group_counts: array<atomic<u32>>;  // DIGITS per group

// Counts these keys of a chunk also for its group, if that lies in one segment.
fn count_in_group(chunk: u32, digit: u32, count: u32) {
  let range = chunk_range(chunk);
  let group = chunk / GROUP_CHUNKS;
  let groups = whole_groups(range.first, range.count);
  if count > 0u && group >= groups.x && group < groups.y {
    atomicAdd(&group_counts[group * DIGITS + digit], count);
  }
}

#else
// Chunks are in no groups.

fn count_in_group(chunk: u32, digit: u32, count: u32) {}

#end
