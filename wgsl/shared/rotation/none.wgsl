// Keys move in their ordered form.

#import key

fn rotated(ordered: Key) -> Key {
  return ordered;
}

fn unrotated(moved: Key) -> Key {
  return moved;
}

// The number of bits that have been rotated to the bottom.
fn rotated_bits() -> u32 {
  return 0u;
}
