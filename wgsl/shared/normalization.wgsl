// How keys move: in their ordered form, or normalized to their range.

#import key

#if normalization/range|kept|own
#import key_range

#if normalization/own
// A count pass finds the range in a sample that it takes itself.
var<private> key_range: KeyRange;
#else
// An earlier pass has found it. Another has seen that no key is outside, and may have normalized them ("kept").
#constant KEY_RANGE  // number of the binding

@group(0) @binding(KEY_RANGE) var<uniform> key_range: KeyRange;
#end

// The key that takes the digits of a normalized key.
fn stretched(moved: Key, by: u32) -> Key {
  return stretched_by(moved, by);
}

// How much `stretched` adds to the keys of the range.
fn stretch() -> u32 {
  return key_range.stretch;
}

fn denormalized(moved: Key) -> Key {
  return denormalize(moved, key_range);
}
#else
fn stretched(moved: Key, by: u32) -> Key {
  return moved;
}

fn stretch() -> u32 {
  return 0u;
}

fn denormalized(moved: Key) -> Key {
  return moved;
}
#end

// A key in the form in which a pass reads it, whose digit is the largest of all keys.
fn last_key() -> Key {
#if normalization/range|own
  return plus(key_range.least, key_range.span);
#elif normalization/kept
  return last_stretched(key_range);
#else
  return MAX_ORDERED;
#end
}

#if normalization/range|own
fn normalized(ordered: Key) -> Key {
  return normalize(ordered, key_range);
}

// Whether normalized keys may differ from keys. The same for all keys. A gap leaves some bits unused.
fn normalizes() -> bool {
  return any(vec3u(key_range.unused, word_at(key_range.least, 0u), word_at(key_range.least, 1u)) != vec3u(0u));
}

// The number of low bits that are 0 in all normalized keys.
fn unused_bits() -> u32 {
  return key_range.unused;
}
#else
fn normalized(ordered: Key) -> Key {
  return ordered;
}

fn normalizes() -> bool {
  return false;
}

fn unused_bits() -> u32 {
  return 0u;
}
#end
