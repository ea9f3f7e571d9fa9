// For a count pass of keys of one word that has found their range itself.

#import key
#import key_range/32
#import own_range_32
#family msd

fn normalized(ordered: Key) -> Key {
  return normalize(ordered, own_range);
}

fn denormalized(moved: Key) -> Key {
  return denormalize(moved, own_range);
}

// Whether normalized keys may differ from keys. The same for all keys.
fn normalizes() -> bool {
  return any(vec3u(own_range.unused, word_at(own_range.least, 0u), word_at(own_range.least, 1u)) != vec3u(0u));
}

// The number of low bits that are 0 in all normalized keys.
fn unused_bits() -> u32 {
  return own_range.unused;
}

fn stretched(moved: Key, by: u32) -> Key {
  return stretched_by(moved, by);
}

// How much `stretched` adds to the keys of the range.
fn stretch() -> u32 {
  return own_range.stretch;
}
