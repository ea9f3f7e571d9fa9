// Keys of one byte, four a word, the first in the lowest byte. Everywhere else a key is a word of its own.

alias Key = u32;
alias Stored = u32;

// The image under to_ordered that no key exceeds.
const MAX_ORDERED: Key = 0xffffffffu;

fn stored_at(at: u32) -> u32 {
  return at >> 2u;
}

fn unpack(stored: Stored, at: u32) -> Key {
  return (stored >> ((at & 3u) * 8u)) & 0xffu;
}

fn word_at(key: Key, word: u32) -> u32 {
  return key;
}

fn masked(key: Key, low: u32, high: u32) -> Key {
  return key & low;
}

// A value in workgroup memory that is made for keys.
fn value_as_key(value: u32) -> Key {
  return value;
}

fn key_as_value(key: Key) -> u32 {
  return key;
}
