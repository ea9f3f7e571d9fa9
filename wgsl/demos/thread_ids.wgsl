// Writes the four identifiers of each invocation. These are the names in HLSL, as in the D3D12 chapter, and
// in WGSL:
//
//   SV_GroupID           workgroup_id             the workgroup in the grid
//   SV_GroupThreadID     local_invocation_id      the invocation in its workgroup
//   SV_DispatchThreadID  global_invocation_id     the invocation in the grid
//   SV_GroupIndex        local_invocation_index   local_invocation_id as one number

#constant WIDTH  // invocations per workgroup
#constant HEIGHT
#constant DEPTH

struct Ids {
  workgroup: vec3u,
  index: u32,
  local: vec3u,
  global: vec3u,
}

@group(0) @binding(0) var<storage, read_write> ids: array<Ids>;

@compute @workgroup_size(WIDTH, HEIGHT, DEPTH)
fn main(
  @builtin(num_workgroups) grid: vec3u,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(local_invocation_id) local: vec3u,
  @builtin(global_invocation_id) global: vec3u,
  @builtin(local_invocation_index) index: u32,
) {
  let number = (workgroup.z * grid.y + workgroup.y) * grid.x + workgroup.x;
  let at = number * (WIDTH * HEIGHT * DEPTH) + index;
  ids[at].workgroup = workgroup;
  ids[at].index = index;
  ids[at].local = local;
  ids[at].global = global;
}
