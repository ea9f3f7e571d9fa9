// Adds up the counts of the chunks of long segments: a workgroup those of one piece. segments_scan.wgsl then
// scans all of them.

#import grid
#import segments_chunks
#import workgroup_scan
#constant WORKGROUP_SIZE
#constant DIGITS // counts per chunk
#constant PIECE  // counts per workgroup

@group(0) @binding(0) var<storage, read> counts: array<u32>;     // see count_order/segmented.wgsl
@group(0) @binding(1) var<storage, read_write> sums: array<u32>; // of each piece

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let piece = linear_workgroup(workgroup, grid);
  let total = listed_chunks() * DIGITS;
  if piece * PIECE >= total { return; }
  let end = min(piece * PIECE + PIECE, total);
  var sum = 0u;
  for (var i = piece * PIECE + invocation; i < end; i += WORKGROUP_SIZE) { sum += counts[i]; }
  let all = inclusive_sum(sum, invocation);
  if invocation == WORKGROUP_SIZE - 1u { sums[piece] = all; }
}
