// One dispatch makes keys of the groups of tied rows, in the order in which their words were sorted. Rows that
// are then sorted by these keys are in the order of their groups and, within those, of their words.

#import grid
#constant WORKGROUP_SIZE

struct GroupParams {
  count: u32,
}

@group(0) @binding(0) var<storage, read> by_words: array<u32>;
@group(0) @binding(1) var<storage, read> ties: array<vec4u>;   // place, row, group, unused
@group(0) @binding(2) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(3) var<uniform> params: GroupParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let i = linear_workgroup(grid) * WORKGROUP_SIZE + invocation;
  if i < params.count { keys[i] = vec2u(ties[by_words[i]].z, 0u); }
}
