// Returns the number of a workgroup in a grid that was folded into rows, to stay within the limit on
// workgroups per dimension (linearGrid in src/core/plan/grid.ts). A kernel must return if the number is past
// its last workgroup.

fn linear_workgroup(workgroup: vec3u, grid: vec3u) -> u32 {
  return workgroup.y * grid.x + workgroup.x;
}
