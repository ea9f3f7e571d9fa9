// The scan step of a radix sort's move, for the workgroup and subgroup families. One dispatch replaces the
// counts of each row by exclusive prefix sums, and writes the total of each row. A row holds the counts of
// one digit value in all chunks. A workgroup scans one row, and each invocation scans a piece of it.

#import radix_pass
#import scan_row
#import status
#constant WORKGROUP_SIZE

@group(0) @binding(1) var<storage, read_write> totals: array<u32>;   // one per row

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  if !must_run() { return; }
  let sum = scan_row(workgroup.x * params.columns, params.columns, invocation);
  if invocation == WORKGROUP_SIZE - 1u { totals[workgroup.x] = sum; }
}
