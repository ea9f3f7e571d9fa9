// Writes down who each invocation is: the four identifiers of the D3D12 chapter, under WGSL's names.
//
//   SV_GroupID           workgroup_id             which workgroup of the grid
//   SV_GroupThreadID     local_invocation_id      which invocation of its workgroup
//   SV_DispatchThreadID  global_invocation_id     which invocation of all
//   SV_GroupIndex        local_invocation_index   local_invocation_id as one number
//
// Constants: WIDTH, HEIGHT, DEPTH (invocations a workgroup). src/demos/threads.ts plans it.

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
