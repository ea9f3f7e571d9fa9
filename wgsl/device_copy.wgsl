// Copies a buffer to another as fast as the device can: what a sort's bandwidth is held against.
// src/plan/device_copy.ts shares the vectors out: a workgroup's invocations take neighbours, VECTORS times.
//
// Constants: WORKGROUP_SIZE (invocations), VECTORS (vec4u an invocation).

struct Params {
  vectors: u32,
  workgroups: u32,
}

@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> target_vectors: array<vec4u>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let group = linear_workgroup(workgroup, grid);
  if group >= params.workgroups { return; }
  let first = group * WORKGROUP_SIZE * VECTORS + local;
  for (var i = 0u; i < VECTORS; i++) { // unroll
    let at = first + i * WORKGROUP_SIZE;
    if at < params.vectors { target_vectors[at] = source[at]; }
  }
}
