// A one-dimensional run of workgroups that was folded into rows to pass the limit on workgroups a dimension
// (plan/grid.ts, linearGrid). The caller leaves when the number is past its last workgroup.

fn linear_workgroup(workgroup: vec3u, grid: vec3u) -> u32 {
  return workgroup.y * grid.x + workgroup.x;
}
