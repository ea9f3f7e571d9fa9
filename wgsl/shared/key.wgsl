#if key/16
// Keys of two bytes. A word in memory holds two keys, the first in its lowest bits. In a kernel, a key takes
// a word.

alias Key = u32;

// The element type of a buffer of keys.
alias Stored = u32;

// The largest ordered form.
const MAX_ORDERED: Key = 0xffffffffu;

// The index of the buffer element that holds key `at`.
fn stored_at(at: u32) -> u32 {
  return at >> 1u;
}

// Key `at`, from the buffer element that holds it.
fn unpack(stored: Stored, at: u32) -> Key {
  return (stored >> ((at & 1u) * 16u)) & 0xffffu;
}

// A word of a key. The key has only one, so `word` does not matter.
fn word_at(key: Key, word: u32) -> u32 {
  return key;
}

// The key with a low word and a high word. It has only the low one.
fn key_of(low: u32, high: u32) -> Key {
  return low;
}

// The bits of a key that are set in a mask, given as its low word and its high word.
fn masked(key: Key, low: u32, high: u32) -> Key {
  return key & low;
}

// Stores a value of one word in workgroup memory for keys; `key_as_value` reads it back.
fn value_as_key(value: u32) -> Key {
  return value;
}

fn key_as_value(key: Key) -> u32 {
  return key;
}

#elif key/32
// Keys of one word, as raw bits.

alias Key = u32;

// The element type of a buffer of keys.
alias Stored = Key;

// The largest ordered form.
const MAX_ORDERED: Key = 0xffffffffu;

// The index of the buffer element that holds key `at`.
fn stored_at(at: u32) -> u32 {
  return at;
}

// Key `at`, from the buffer element that holds it.
fn unpack(stored: Stored, at: u32) -> Key {
  return stored;
}

// A word of a key. The key has only one, so `word` does not matter.
fn word_at(key: Key, word: u32) -> u32 {
  return key;
}

// The key with a low word and a high word. It has only the low one.
fn key_of(low: u32, high: u32) -> Key {
  return low;
}

// The bits of a key that are set in a mask, given as its low word and its high word.
fn masked(key: Key, low: u32, high: u32) -> Key {
  return key & low;
}

// Stores a value of one word in workgroup memory for keys; `key_as_value` reads it back.
fn value_as_key(value: u32) -> Key {
  return value;
}

fn key_as_value(key: Key) -> u32 {
  return key;
}

#elif key/64
// Keys of two words, as raw bits. x is the less significant word.

alias Key = vec2u;

// The element type of a buffer of keys.
alias Stored = Key;

// The largest ordered form.
const MAX_ORDERED: Key = vec2u(0xffffffffu);

// The index of the buffer element that holds key `at`.
fn stored_at(at: u32) -> u32 {
  return at;
}

// Key `at`, from the buffer element that holds it.
fn unpack(stored: Stored, at: u32) -> Key {
  return stored;
}

// A word of a key: 0 is the less significant.
fn word_at(key: Key, word: u32) -> u32 {
  return select(key.x, key.y, word == 1u);
}

// The key with a low word and a high word.
fn key_of(low: u32, high: u32) -> Key {
  return vec2u(low, high);
}

// The bits of a key that are set in a mask, given as its low word and its high word.
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

#elif key/8
// Keys of one byte. A word in memory holds four keys, the first in its lowest bits. In a kernel, a key takes
// a word.

alias Key = u32;

// The element type of a buffer of keys.
alias Stored = u32;

// The largest ordered form.
const MAX_ORDERED: Key = 0xffffffffu;

// The index of the buffer element that holds key `at`.
fn stored_at(at: u32) -> u32 {
  return at >> 2u;
}

// Key `at`, from the buffer element that holds it.
fn unpack(stored: Stored, at: u32) -> Key {
  return (stored >> ((at & 3u) * 8u)) & 0xffu;
}

// A word of a key. The key has only one, so `word` does not matter.
fn word_at(key: Key, word: u32) -> u32 {
  return key;
}

// The key with a low word and a high word. It has only the low one.
fn key_of(low: u32, high: u32) -> Key {
  return low;
}

// The bits of a key that are set in a mask, given as its low word and its high word.
fn masked(key: Key, low: u32, high: u32) -> Key {
  return key & low;
}

// Stores a value of one word in workgroup memory for keys; `key_as_value` reads it back.
fn value_as_key(value: u32) -> Key {
  return value;
}

fn key_as_value(key: Key) -> u32 {
  return key;
}

#end
