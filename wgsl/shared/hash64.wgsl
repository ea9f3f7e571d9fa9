// A 32-bit hash of a 64-bit key, of both its words. Needs key64 and mix.

fn hash(key: Key, seed: u32) -> u32 {
  return mix(key.x ^ mix(key.y ^ seed));
}
