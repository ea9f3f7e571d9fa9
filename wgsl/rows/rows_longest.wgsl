// One dispatch finds the length of the longest row, before any invocation walks through a row. An invocation
// measures one row.

#import grid
#constant WORKGROUP_SIZE

struct LongestParams {
  count: u32,  // rows
}

@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read_write> longest: array<atomic<u32>>;  // [0]: bytes
@group(0) @binding(2) var<uniform> params: LongestParams;

var<workgroup> longest_here: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  if invocation == 0u { atomicStore(&longest_here, 0u); }
  workgroupBarrier();
  let row = linear_workgroup(grid) * WORKGROUP_SIZE + invocation;
  if row < params.count { atomicMax(&longest_here, starts[row + 1u] - starts[row]); }
  workgroupBarrier();
  if invocation == 0u {
    let here = atomicLoad(&longest_here);
    if here > atomicLoad(&longest[0]) { atomicMax(&longest[0], here); }
  }
}
