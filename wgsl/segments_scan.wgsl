// Replaces the counts of all chunks of long segments by their exclusive prefix sums: a workgroup those of one
// piece. It adds up the sums of the pieces before it itself, as they are few.

#import grid
#import segments_chunks
#import workgroup_scan
#constant WORKGROUP_SIZE
#constant DIGITS // counts per chunk
#constant PIECE  // counts per workgroup

const COUNTS_PER_INVOCATION = PIECE / WORKGROUP_SIZE;

@group(0) @binding(0) var<storage, read_write> counts: array<u32>;  // see count_order/segmented.wgsl
@group(0) @binding(1) var<storage, read> sums: array<u32>;          // of each piece

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let piece = linear_workgroup(workgroup, grid);
  let total = listed_chunks() * DIGITS;
  if piece * PIECE >= total { return; }
  var before = 0u;
  for (var i = invocation; i < piece; i += WORKGROUP_SIZE) { before += sums[i]; }
  let begin = min(piece * PIECE + invocation * COUNTS_PER_INVOCATION, total);
  let end = min(begin + COUNTS_PER_INVOCATION, total);
  var own: array<u32, COUNTS_PER_INVOCATION>;
  var sum = 0u;
  for (var i = 0u; i < COUNTS_PER_INVOCATION; i++) {
    if begin + i < end { own[i] = counts[begin + i]; }
    sum += own[i];
  }
  let within = inclusive_sum(sum, invocation) - sum;
  workgroupBarrier();
  inclusive_sum(before, invocation);
  var start = within + scan_sums[WORKGROUP_SIZE - 1u];
  for (var i = 0u; i < COUNTS_PER_INVOCATION; i++) {
    if begin + i < end { counts[begin + i] = start; }
    start += own[i];
  }
}
