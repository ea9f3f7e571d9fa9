// The finalizer of MurmurHash3 (A. Appleby, public domain): a bijection in which every input bit reaches every
// output bit.

fn mix(value: u32) -> u32 {
  var h = value;
  h = (h ^ (h >> 16u)) * 0x85ebca6bu;
  h = (h ^ (h >> 13u)) * 0xc2b2ae35u;
  return h ^ (h >> 16u);
}
