// Packs sorted images of one word each into keys of one or two bytes, a word of them an invocation.
// src/twins/radix.ts has its twin.
//
// Uses key8 or key16, and its order. Constants: WORKGROUP_SIZE (invocations), KEY_BITS.

struct Params {
  key_count: u32,
}

@group(0) @binding(0) var<storage, read> images: array<u32>;
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;

const KEYS_A_WORD = 32u / KEY_BITS;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let stride = grid.x * WORKGROUP_SIZE;
  let words = (params.key_count + KEYS_A_WORD - 1u) / KEYS_A_WORD;
  for (var word = global.x; word < words; word += stride) {
    var packed = 0u;
    for (var i = 0u; i < KEYS_A_WORD; i++) {
      let at = word * KEYS_A_WORD + i;
      if at < params.key_count {
        packed |= from_ordered(images[at]) << (i * KEY_BITS);
      } else {
        packed |= keys[word] & (((1u << KEY_BITS) - 1u) << (i * KEY_BITS)); // not one of ours
      }
    }
    keys[word] = packed;
  }
}
