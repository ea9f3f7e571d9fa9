// Copies a buffer, sixteen bytes an invocation: the rate that kernels bound by memory are held against.
// src/demos/rates.ts plans it.
//
// Uses grid. Constants: WORKGROUP_SIZE (invocations).

struct Params {
  quads: u32,   // of four words
}

@group(0) @binding(0) var<storage, read> input: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4u>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let at = linear_workgroup(workgroup, grid) * WORKGROUP_SIZE + invocation;
  if at < params.quads { output[at] = input[at]; }
}
