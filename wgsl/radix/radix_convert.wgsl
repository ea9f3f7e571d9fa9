// One dispatch converts keys of 32 or 64 bits to their ordered form, or back, in place. An invocation converts
// every stride-th key. Moves convert keys on the way, unless the sort runs only once: then more kernels would
// take longer to compile than this pass takes.

#import key
#import order
#constant WORKGROUP_SIZE
#constant BACK  // 1 to convert ordered forms to keys, 0 to convert keys to ordered forms

struct ConvertParams {
  key_count: u32,  // keys in the window
  stride: u32,     // invocations in the whole grid
}

@group(0) @binding(0) var<storage, read_write> keys: array<Key>;
@group(0) @binding(1) var<uniform> params: ConvertParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u) {
  for (var i = global.x; i < params.key_count; i += params.stride) {
    if BACK == 1u { keys[i] = from_ordered(keys[i]); } else { keys[i] = to_ordered(keys[i]); }
  }
}
