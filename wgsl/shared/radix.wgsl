// How the kernels of a radix sort take keys in and give them out. Needs a key, its order, the kernel's `input` and `params`,
// and the constants RAW_INPUT and RAW_OUTPUT: 1 for keys as the caller has them, 0 for their images under to_ordered,
// which is what the passes between the first and the last hand on; and WINDOWED: 1 where `input` is bound in windows.

// A place among the keys that are bound.
fn bound_at(at: u32) -> u32 {
  if WINDOWED == 1u { return at - params.input_begin; }
  return at;
}

fn key_at(at: u32) -> Key {
  return unpack(input[stored_at(bound_at(at))], at);
}

fn image_of(key: Key) -> Key {
  if RAW_INPUT == 1u { return to_ordered(key); }
  return key;
}

fn key_of(image: Key) -> Key {
  if RAW_OUTPUT == 1u { return from_ordered(image); }
  return image;
}

// What stands for a key that is not there: no key's image exceeds its.
fn padding() -> Key {
  if RAW_INPUT == 1u { return from_ordered(MAX_ORDERED); }
  return MAX_ORDERED;
}
