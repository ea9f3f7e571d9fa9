// A 32-bit hash of a key that takes one word.

#import key
#import mix32

fn hash(key: Key, seed: u32) -> u32 {
  return mix32(key ^ seed);
}
