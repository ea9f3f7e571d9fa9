// Keys as raw bits. A key of 8, 16 or 32 bits takes a word in a kernel, and one of 64 bits takes two.

#if key/64
// x is the less significant word.
alias Key = vec2u;

// The largest ordered form.
const MAX_ORDERED: Key = vec2u(0xffffffffu);

// A word of a key: 0 is the less significant.
fn word_at(key: Key, word: u32) -> u32 {
  return select(key.x, key.y, word == 1u);
}

// The key with a low word and a high word.
fn key_of(low: u32, high: u32) -> Key {
  return vec2u(low, high);
}

// The bits of a key that are set in a mask: its low word and its high word.
fn masked(key: Key, low: u32, high: u32) -> Key {
  return key & vec2u(low, high);
}

// Stores a value of one word in workgroup memory for keys; `key_as_value` reads it back.
fn value_as_key(value: u32) -> Key {
  return vec2u(value, 0u);
}

fn key_as_value(key: Key) -> u32 {
  return key.x;
}
#elif key/8|16|32
alias Key = u32;

// The largest ordered form.
const MAX_ORDERED: Key = 0xffffffffu;

// A word of a key. The key has only one, so `word` does not matter.
fn word_at(key: Key, word: u32) -> u32 {
  return key;
}

// The key with a low word and a high word. It has only the low one.
fn key_of(low: u32, high: u32) -> Key {
  return low;
}

fn masked(key: Key, low: u32, high: u32) -> Key {
  return key & low;
}

fn value_as_key(value: u32) -> Key {
  return value;
}

fn key_as_value(key: Key) -> u32 {
  return key;
}
#end

#if key/32|64
// The element type of a buffer of keys.
alias Stored = Key;

// The index of the buffer element that holds key `at`.
fn stored_at(at: u32) -> u32 {
  return at;
}

// Key `at`, from the buffer element that holds it.
fn unpack(stored: Stored, at: u32) -> Key {
  return stored;
}
#elif key/16
// A word in memory holds two keys, the first in its lowest bits.
alias Stored = u32;

fn stored_at(at: u32) -> u32 {
  return at >> 1u;
}

fn unpack(stored: Stored, at: u32) -> Key {
  return (stored >> ((at & 1u) * 16u)) & 0xffffu;
}
#elif key/8
// A word in memory holds four keys, the first in its lowest bits.
alias Stored = u32;

fn stored_at(at: u32) -> u32 {
  return at >> 2u;
}

fn unpack(stored: Stored, at: u32) -> Key {
  return (stored >> ((at & 3u) * 8u)) & 0xffu;
}
#end
