// The four keys of one byte in a word.

#import key

alias KeyVector = u32;

fn keys_of_vector(vector: KeyVector) -> array<Key, 4> {
  return array(vector & 0xffu, (vector >> 8u) & 0xffu, (vector >> 16u) & 0xffu, vector >> 24u);
}
