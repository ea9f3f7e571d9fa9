// For keys that an earlier pass has normalized: see range.wgsl.

#import key
#import key_range
#import known_range/bound
#family msd

fn normalized(ordered: Key) -> Key {
  return ordered;
}

fn denormalized(moved: Key) -> Key {
  return moved;
}

// Whether normalized keys may differ from keys. The same for all keys.
fn normalizes() -> bool {
  return false;
}

// The number of low bits that are 0 in all normalized keys.
fn unused_bits() -> u32 {
  return 0u;
}

fn stretched(moved: Key, by: u32) -> Key {
  return stretched_by(moved, by);
}

// How much `stretched` adds to the keys of the range.
fn stretch() -> u32 {
  return key_range.stretch;
}
