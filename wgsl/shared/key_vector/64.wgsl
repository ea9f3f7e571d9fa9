// Two keys of two words, which an invocation loads at once.

#import key

alias KeyVector = vec4u;

fn keys_of_vector(vector: KeyVector) -> array<Key, 2> {
  return array(vector.xy, vector.zw);
}
