// How the kernels of a radix sort take keys in and give them out. Needs a key, its order, the kernel's `input` and `params`,
// and the constants RAW_INPUT and RAW_OUTPUT: 1 for keys as the caller has them, 0 for their images under to_ordered,
// which is what the passes between the first and the last hand on.

fn key_at(at: u32) -> Key {
  return unpack(input[stored_at(at - params.input_begin)], at);
}

fn image_of(key: Key) -> Key {
  if RAW_INPUT == 1u { return to_ordered(key); }
  return key;
}

fn key_of(image: Key) -> Key {
  if RAW_OUTPUT == 1u { return from_ordered(image); }
  return image;
}
