// Transposes a matrix of words without workgroup memory, as one would write it first: neighbouring invocations read
// neighbouring words and write words a whole row apart. What src/demos/transpose.ts holds the tiles against.
//
// Uses grid. Constants: WORKGROUP_SIZE (invocations).

struct Params {
  rows: u32,      // of the input
  columns: u32,
}

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let at = linear_workgroup(workgroup, grid) * WORKGROUP_SIZE + invocation;
  if at >= params.rows * params.columns { return; }
  output[(at % params.columns) * params.rows + at / params.columns] = input[at];
}
