// Clears the counts of groups of chunks before the first count pass of a radix sort adds to them
// (radix_count.wgsl). Later ones are cleared by the scatter passes (shared/digit_start.wgsl). One invocation
// clears one count.

#import status
#constant WORKGROUP_SIZE

@group(0) @binding(0) var<storage, read_write> group_counts: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x < arrayLength(&group_counts) && must_run() { group_counts[id.x] = 0u; }
}
