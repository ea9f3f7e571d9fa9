// How the kernels of a compaction load several consecutive keys at once. The keys are bound a second time for
// it.

#import key
#import key_vector
#import compact_keys
#constant VECTORS      // number of the binding
#constant VECTOR_KEYS  // keys per vector

@group(0) @binding(VECTORS) var<storage, read> key_vectors: array<KeyVector>;

// VECTOR_KEYS keys of the window from key `i` on, a multiple of VECTOR_KEYS. All must be in the window: the end
// of a buffer may not hold a whole vector.
fn keys_at(i: u32) -> array<Key, VECTOR_KEYS> {
  return keys_of_vector(key_vectors[(params.lead + i) / VECTOR_KEYS]);
}
