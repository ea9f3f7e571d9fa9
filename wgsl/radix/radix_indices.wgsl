// One dispatch writes the index of each key, for a sort with indices that runs only once. All its moves then
// move values, so they have the same kernels. An invocation writes every stride-th index.

#constant WORKGROUP_SIZE

struct IndicesParams {
  count: u32,   // indices in the window
  begin: u32,   // indices before the window
  stride: u32,  // invocations in the whole grid
}

@group(0) @binding(0) var<storage, read_write> indices: array<u32>;
@group(0) @binding(1) var<uniform> params: IndicesParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u) {
  for (var i = global.x; i < params.count; i += params.stride) { indices[i] = params.begin + i; }
}
