// The first dispatch of a segmented sort. An invocation finds the segments at both ends of a window, so that
// no later pass must look for them. The first ones also clear what later passes fill in: segments_list.wgsl its
// lists, or segments_sort.wgsl the grids of the merge passes that its segments need.

#import grid
#import segments
#import segments_start
#constant WORKGROUP_SIZE
#constant WINDOW_KEYS  // keys per window

@group(0) @binding(1) var<storage, read_write> ends: array<vec2u>;  // see segments_ends.wgsl

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let window = linear_workgroup(workgroup, grid) * WORKGROUP_SIZE + invocation;
  clear_start(window);
  if window >= params.windows { return; }
  let begin = window * WINDOW_KEYS;
  let last = min(begin + WINDOW_KEYS, params.key_count) - 1u;
  let first = offsets_up_to(begin, 0u, params.segments + 1u);
  ends[window] = vec2u(first, offsets_up_to(last, first, params.segments + 1u));
}
