// Mixes the bits of a word. This is the finalizer of MurmurHash3 (A. Appleby, public domain): a bijection in
// which every input bit affects every output bit.

fn mix32(value: u32) -> u32 {
  var h = value;
  h = (h ^ (h >> 16u)) * 0x85ebca6bu;
  h = (h ^ (h >> 13u)) * 0xc2b2ae35u;
  return h ^ (h >> 16u);
}

// The upper word of a product.
fn high_product(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u);
}

// The index of a sample: a random place in part `number` of `parts` equal parts of the input. `parts` is a
// power of two, 2 or more; a division by another number would take longer.
fn sample_place(number: u32, parts: u32, key_count: u32) -> u32 {
  let bits = firstTrailingBit(parts);
  return high_product((number << (32u - bits)) | (mix32(number) >> bits), key_count);
}
