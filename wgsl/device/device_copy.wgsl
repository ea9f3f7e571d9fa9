// One dispatch copies a buffer to another as fast as the device can. Benchmarks compare the bandwidth of
// sorts with it. A workgroup copies WORKGROUP_SIZE * VECTORS consecutive vectors of 16 bytes. An invocation
// copies VECTORS of them, WORKGROUP_SIZE apart, so that neighbouring invocations copy neighbouring vectors.

#import grid
#constant WORKGROUP_SIZE
#constant VECTORS  // vectors that an invocation copies

struct CopyParams {
  vectors: u32,
  workgroups: u32,
}

@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> target_vectors: array<vec4u>;
@group(0) @binding(2) var<uniform> params: CopyParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
  let group = linear_workgroup(grid);
  if group >= params.workgroups { return; }
  let first = group * WORKGROUP_SIZE * VECTORS + local;
  #unroll
  for (var i = 0u; i < VECTORS; i++) {
    let at = first + i * WORKGROUP_SIZE;
    if at < params.vectors { target_vectors[at] = source[at]; }
  }
}
