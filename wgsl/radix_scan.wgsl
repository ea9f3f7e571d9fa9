// The scan step of a radix sort's move, for the workgroup and subgroup families. One dispatch replaces the
// counts of each row by exclusive prefix sums, and writes the total of each row. A row holds the counts of
// one digit value in all chunks. A workgroup scans one row, and each invocation scans a piece of it.

#import radix_pass
#import workgroup_scan
#import condition
#constant WORKGROUP_SIZE

@group(0) @binding(0) var<storage, read_write> counts: array<u32>;   // row by row
@group(0) @binding(1) var<storage, read_write> totals: array<u32>;   // one per row

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  if !is_wanted() { return; }
  let row = workgroup.x * params.columns;
  let piece = (params.columns + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
  let begin = min(invocation * piece, params.columns);
  let end = min(begin + piece, params.columns);

  var sum = 0u;
  for (var i = begin; i < end; i++) { sum += counts[row + i]; }
  let inclusive = inclusive_sum(sum, invocation);

  var start = inclusive - sum;
  for (var i = begin; i < end; i++) {
    let count = counts[row + i];
    counts[row + i] = start;
    start += count;
  }
  if invocation == WORKGROUP_SIZE - 1u { totals[workgroup.x] = inclusive; }
}
