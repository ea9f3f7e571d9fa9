// Keys move in their ordered form.

#import key

fn normalized(ordered: Key) -> Key {
  return ordered;
}

fn denormalized(moved: Key) -> Key {
  return moved;
}

// Whether normalized keys may differ from keys.
fn normalizes() -> bool {
  return false;
}

// The number of low bits that are 0 in all normalized keys.
fn unused_bits() -> u32 {
  return 0u;
}

// The key that takes the digits of a normalized key.
fn stretched(moved: Key, by: u32) -> Key {
  return moved;
}

fn stretch() -> u32 {
  return 0u;
}
