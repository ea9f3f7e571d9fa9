// One dispatch converts sorted keys from their ordered form, one word per key, to packed keys of one or two
// bytes. An invocation writes every n-th word of packed keys, where n is the number of invocations.

#import order
#constant WORKGROUP_SIZE
#constant KEY_BITS  // 8 or 16

struct PackParams {
  key_count: u32,
}

@group(0) @binding(0) var<storage, read> ordered: array<u32>;
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
@group(0) @binding(2) var<uniform> params: PackParams;

const KEYS_PER_WORD = 32u / KEY_BITS;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let stride = grid.x * WORKGROUP_SIZE;
  let words = (params.key_count + KEYS_PER_WORD - 1u) / KEYS_PER_WORD;
  for (var word = global.x; word < words; word += stride) {
    var packed = 0u;
    for (var i = 0u; i < KEYS_PER_WORD; i++) {
      let at = word * KEYS_PER_WORD + i;
      if at < params.key_count {
        packed |= from_ordered(ordered[at]) << (i * KEY_BITS);
      } else {
        // Keys past the last one must stay unchanged.
        packed |= keys[word] & (((1u << KEY_BITS) - 1u) << (i * KEY_BITS));
      }
    }
    keys[word] = packed;
  }
}
