#if key_vector/16
// Four keys of two bytes, which an invocation loads at once.

#import key

alias KeyVector = vec2u;

fn keys_of_vector(vector: KeyVector) -> array<Key, 4> {
  return array(vector.x & 0xffffu, vector.x >> 16u, vector.y & 0xffffu, vector.y >> 16u);
}

#elif key_vector/32
// Four keys of one word, which an invocation loads at once.

#import key

alias KeyVector = vec4u;

fn keys_of_vector(vector: KeyVector) -> array<Key, 4> {
  return array(vector.x, vector.y, vector.z, vector.w);
}

#elif key_vector/64
// Two keys of two words, which an invocation loads at once.

#import key

alias KeyVector = vec4u;

fn keys_of_vector(vector: KeyVector) -> array<Key, 2> {
  return array(vector.xy, vector.zw);
}

#elif key_vector/8
// The four keys of one byte in a word.

#import key

alias KeyVector = u32;

fn keys_of_vector(vector: KeyVector) -> array<Key, 4> {
  return array(vector & 0xffu, (vector >> 8u) & 0xffu, (vector >> 16u) & 0xffu, vector >> 24u);
}

#end
