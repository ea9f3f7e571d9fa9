#if hash/32
// A 32-bit hash of a key that takes one word.

#import key
#import mix32

fn hash(key: Key, seed: u32) -> u32 {
  return mix32(key ^ seed);
}

#elif hash/64
// A 32-bit hash of a key of two words.

#import key
#import mix32

fn hash(key: Key, seed: u32) -> u32 {
  return mix32(key.x ^ mix32(key.y ^ seed));
}

#end
