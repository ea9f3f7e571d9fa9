// One dispatch copies values of several words into the order of the sorted keys: output value i is the input
// value with the index indices[i]. An invocation copies every stride-th word of the output. It skips words
// whose value is outside the bound window of the input.

#constant WORKGROUP_SIZE

struct GatherParams {
  words: u32,        // words per value
  index_count: u32,  // indices in the bound window of the output
  value_begin: u32,  // values before the bound window of the input
  value_count: u32,  // values in the bound window of the input
  stride: u32,       // invocations in the whole grid: each copies every stride-th word of the output
}

@group(0) @binding(0) var<storage, read> indices: array<u32>;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read_write> gathered: array<u32>;
@group(0) @binding(3) var<uniform> params: GatherParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u) {
  let words = params.index_count * params.words;
  for (var i = global.x; i < words; i += params.stride) {
    let value = indices[i / params.words] - params.value_begin;
    if value < params.value_count { gathered[i] = values[value * params.words + i % params.words]; }
  }
}
