// A workgroup's place in the grid of a dispatch. Both members are uniform, so that barriers may follow a return
// that depends on them.

struct Grid {
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) size: vec3u,
}

// Returns the number of a workgroup in a grid that was folded into rows, to stay within the limit on
// workgroups per dimension (linearGrid in src/core/plan/grid.ts). A kernel must return if the number is past
// its last workgroup.
fn linear_workgroup(grid: Grid) -> u32 {
  return grid.workgroup.y * grid.size.x + grid.workgroup.x;
}
