// Four keys of two bytes, which an invocation loads at once.

#import key

alias KeyVector = vec2u;

fn keys_of_vector(vector: KeyVector) -> array<Key, 4> {
  return array(vector.x & 0xffffu, vector.x >> 16u, vector.y & 0xffffu, vector.y >> 16u);
}
