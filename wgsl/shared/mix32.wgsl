// Mixes the bits of a word. This is the finalizer of MurmurHash3 (A. Appleby, public domain): a bijection in
// which every input bit affects every output bit.

fn mix32(value: u32) -> u32 {
  var h = value;
  h = (h ^ (h >> 16u)) * 0x85ebca6bu;
  h = (h ^ (h >> 13u)) * 0xc2b2ae35u;
  return h ^ (h >> 16u);
}
