// What the kernels of one radix pass share: src/sort/radix.ts says how they work together. Needs a key, its order and
// the constants RAW_INPUT and RAW_OUTPUT: 1 for keys as the caller has them, 0 for their images under to_ordered,
// which is what the passes between the first and the last hand on.

struct Params {
  key_count: u32,
  shift: u32,     // the digit's lowest bit
  chunk: u32,     // keys a column of counts: a workgroup's, or an invocation's in the serial kernels
  columns: u32,
}

fn image_of(key: Key) -> Key {
  if RAW_INPUT == 1u { return to_ordered(key); }
  return key;
}

fn key_of(image: Key) -> Key {
  if RAW_OUTPUT == 1u { return from_ordered(image); }
  return image;
}
