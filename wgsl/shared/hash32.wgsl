// A 32-bit hash of a 32-bit key. Needs key32 and mix.

fn hash(key: Key, seed: u32) -> u32 {
  return mix(key ^ seed);
}
