// Brings values of several words into the order of the indices of their keys. src/twins/gather.ts is its twin.
//
// Constants: WORKGROUP_SIZE (invocations).

struct Params {
  words: u32,         // a value
  index_count: u32,   // indices in the window that is bound
  value_begin: u32,   // values before the window that is bound
  value_count: u32,   // values in it
  stride: u32,        // invocations in the whole grid: each takes every stride-th word of the output
}

@group(0) @binding(0) var<storage, read> indices: array<u32>;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read_write> gathered: array<u32>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u) {
  let words = params.index_count * params.words;
  for (var i = global.x; i < words; i += params.stride) {
    let value = indices[i / params.words] - params.value_begin;
    if value < params.value_count { gathered[i] = values[value * params.words + i % params.words]; }
  }
}
