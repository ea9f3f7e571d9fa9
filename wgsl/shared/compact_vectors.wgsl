// How the kernels of a compaction load several consecutive keys at once. The keys are bound a second time for
// it.

#import key
#import compact_keys
#constant VECTORS      // number of the binding
#constant VECTOR_KEYS  // keys per vector

#if key_vector/16
// Four keys of two bytes, which an invocation loads at once.

alias KeyVector = vec2u;

fn keys_of_vector(vector: KeyVector) -> array<Key, 4> {
  return array(vector.x & 0xffffu, vector.x >> 16u, vector.y & 0xffffu, vector.y >> 16u);
}
#elif key_vector/32
// Four keys of one word, which an invocation loads at once.

alias KeyVector = vec4u;

fn keys_of_vector(vector: KeyVector) -> array<Key, 4> {
  return array(vector.x, vector.y, vector.z, vector.w);
}
#elif key_vector/64
// Two keys of two words, which an invocation loads at once.

alias KeyVector = vec4u;

fn keys_of_vector(vector: KeyVector) -> array<Key, 2> {
  return array(vector.xy, vector.zw);
}
#elif key_vector/8
// The four keys of one byte in a word.

alias KeyVector = u32;

fn keys_of_vector(vector: KeyVector) -> array<Key, 4> {
  return array(vector & 0xffu, (vector >> 8u) & 0xffu, (vector >> 16u) & 0xffu, vector >> 24u);
}
#end

@group(0) @binding(VECTORS) var<storage, read> key_vectors: array<KeyVector>;

// VECTOR_KEYS keys of the window from key `i` on, a multiple of VECTOR_KEYS. All must be in the window: the end
// of a buffer may not hold a whole vector.
fn keys_at(i: u32) -> array<Key, VECTOR_KEYS> {
  return keys_of_vector(key_vectors[(params.lead + i) / VECTOR_KEYS]);
}
