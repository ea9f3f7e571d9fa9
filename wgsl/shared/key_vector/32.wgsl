// Four keys of one word, which an invocation loads at once.

#import key

alias KeyVector = vec4u;

fn keys_of_vector(vector: KeyVector) -> array<Key, 4> {
  return array(vector.x, vector.y, vector.z, vector.w);
}
