// How the kernels of a compaction load several consecutive keys at once. The keys are bound a second time for
// it.

#import key
#import compact_keys
#constant VECTORS      // number of the binding
#constant VECTOR_KEYS  // keys per vector

#if key_vector/8
alias KeyVector = u32;
#elif key_vector/16
alias KeyVector = vec2u;
#elif key_vector/32|64
alias KeyVector = vec4u;
#end

@group(0) @binding(VECTORS) var<storage, read> key_vectors: array<KeyVector>;

// VECTOR_KEYS keys of the window from key `i` on, a multiple of VECTOR_KEYS. All must be in the window: the end
// of a buffer may not hold a whole vector. Without the type of the keys, naga does not compile it.
fn keys_at(i: u32) -> array<Key, VECTOR_KEYS> {
  let vector = key_vectors[(params.lead + i) / VECTOR_KEYS];
#if key_vector/8
  return array<Key, 4>(vector & 0xffu, (vector >> 8u) & 0xffu, (vector >> 16u) & 0xffu, vector >> 24u);
#elif key_vector/16
  return array<Key, 4>(vector.x & 0xffffu, vector.x >> 16u, vector.y & 0xffffu, vector.y >> 16u);
#elif key_vector/32
  return array<Key, 4>(vector.x, vector.y, vector.z, vector.w);
#elif key_vector/64
  return array<Key, 2>(vector.xy, vector.zw);
#end
}
