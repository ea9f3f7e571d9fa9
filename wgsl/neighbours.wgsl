// Each invocation puts one value into workgroup memory and adds up those to its left and to its right: the D3D
// documents' example of a missing barrier. Built without the barrier, it may read what its neighbour has not
// written yet: what then comes out is undefined, and on many a device still right.
//
// Uses grid. Constants: WORKGROUP_SIZE (invocations), BARRIER (0 or 1). src/demos/barrier.ts plans it.

struct Params {
  count: u32,   // a multiple of WORKGROUP_SIZE
}

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;

var<workgroup> cache: array<u32, WORKGROUP_SIZE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let number = linear_workgroup(workgroup, grid);
  if number >= params.count / WORKGROUP_SIZE { return; }
  let at = number * WORKGROUP_SIZE + invocation;
  cache[invocation] = input[at];
  if BARRIER == 1u { workgroupBarrier(); }
  // The neighbours of the first and the last are each other.
  let left = cache[(invocation + WORKGROUP_SIZE - 1u) % WORKGROUP_SIZE];
  let right = cache[(invocation + 1u) % WORKGROUP_SIZE];
  output[at] = left + right;
}
