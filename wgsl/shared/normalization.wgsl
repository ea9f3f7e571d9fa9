#if normalization/kept
// For keys that an earlier pass has normalized: see range.wgsl.

#import key
#import key_range
#import known_range/bound

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

#elif normalization/range
// Keys move normalized to their range. msd_sample.wgsl or radix_count.wgsl has found it, and the latter has
// seen that no key is outside.

#import key
#import key_range
#import known_range

fn normalized(ordered: Key) -> Key {
  return normalize(ordered, key_range);
}

fn denormalized(moved: Key) -> Key {
  return denormalize(moved, key_range);
}

// Whether normalized keys may differ from keys. The same for all keys.
fn normalizes() -> bool {
  return any(vec3u(key_range.unused, word_at(key_range.least, 0u), word_at(key_range.least, 1u)) != vec3u(0u));
}

// The number of low bits that are 0 in all normalized keys.
fn unused_bits() -> u32 {
  return key_range.unused;
}

fn stretched(moved: Key, by: u32) -> Key {
  return stretched_by(moved, by);
}

// How much `stretched` adds to the keys of the range.
fn stretch() -> u32 {
  return key_range.stretch;
}

#else
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

#end
