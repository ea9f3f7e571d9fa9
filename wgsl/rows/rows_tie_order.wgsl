// One dispatch combines two orders: first by words, and then by groups.

#import grid
#constant WORKGROUP_SIZE

struct OrderParams {
  count: u32,
}

@group(0) @binding(0) var<storage, read> by_words: array<u32>;
@group(0) @binding(1) var<storage, read> by_groups: array<u32>;
@group(0) @binding(2) var<storage, read_write> sorted: array<u32>;
@group(0) @binding(3) var<uniform> params: OrderParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let i = linear_workgroup(grid) * WORKGROUP_SIZE + invocation;
  if i < params.count { sorted[i] = by_words[by_groups[i]]; }
}
