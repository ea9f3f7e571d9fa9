#if groups_cleared/all
// Clears the counts of groups of chunks before the first count pass of a fallback adds to them
// (group_count/even.wgsl), in a pass that always runs: a dispatch costs 2 us even if it returns immediately.

#constant WORKGROUP_SIZE
#constant GROUPS  // number of the binding

@group(0) @binding(GROUPS) var<storage, read_write> group_counts: array<u32>;

// One workgroup must call it.
fn clear_groups(invocation: u32) {
  for (var i = invocation; i < arrayLength(&group_counts); i += WORKGROUP_SIZE) { group_counts[i] = 0u; }
}

#else
// For a sort whose fallback counts no groups of chunks.

fn clear_groups(invocation: u32) {}

#end
