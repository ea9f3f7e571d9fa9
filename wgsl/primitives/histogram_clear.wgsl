// The first step of a histogram: one dispatch clears the bins. One invocation clears one bin.

#constant WORKGROUP_SIZE

struct ClearParams {
  bins: u32,
}

@group(0) @binding(0) var<storage, read_write> cleared_counts: array<u32>;
@group(0) @binding(1) var<uniform> params: ClearParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x < params.bins { cleared_counts[id.x] = 0u; }
}
