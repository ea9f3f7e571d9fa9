// Clears the counts of groups of chunks before the first count pass of a radix sort adds to them
// (radix_count.wgsl), and what it adds to where later moves may be skipped (msd/differing_bits.wgsl). Later
// counts are cleared by the scatter passes (shared/digit_start.wgsl). One invocation clears one count.

#import status
#constant WORKGROUP_SIZE

@group(0) @binding(0) var<storage, read_write> group_counts: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if !must_run() { return; }
  if id.x < arrayLength(&group_counts) { group_counts[id.x] = 0u; }
#if differing_bits/published
  if id.x < 2u { atomicStore(&status[FIRST_DIFFERING + id.x], 0u); }
#end
}
