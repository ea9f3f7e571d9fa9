// Each invocation writes a number to workgroup memory, and then adds its left and its right neighbour's
// numbers: the example of a missing barrier in the D3D documents. Without the barrier, an invocation may read
// a number that is not written yet. The result is then undefined, and on many devices it may still be right.

#import grid
#constant WORKGROUP_SIZE
#constant BARRIER  // 1 with the barrier, 0 without it

struct NeighbourParams {
  count: u32,  // a multiple of WORKGROUP_SIZE
}

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> params: NeighbourParams;

var<workgroup> cache: array<u32, WORKGROUP_SIZE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let number = linear_workgroup(grid);
  if number >= params.count / WORKGROUP_SIZE { return; }
  let at = number * WORKGROUP_SIZE + invocation;
  cache[invocation] = input[at];
  if BARRIER == 1u { workgroupBarrier(); }
  // The first and the last invocation of a workgroup are neighbours.
  let left = cache[(invocation + WORKGROUP_SIZE - 1u) % WORKGROUP_SIZE];
  let right = cache[(invocation + 1u) % WORKGROUP_SIZE];
  output[at] = left + right;
}
