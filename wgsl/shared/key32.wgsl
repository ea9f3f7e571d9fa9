// A key of one 32-bit word, as raw bits.

alias Key = u32;

// What an element of a buffer of keys is, where it lies, and how to take a key out of it: see key8 and key16.
alias Stored = Key;

// The image under to_ordered that no key exceeds.
const MAX_ORDERED: Key = 0xffffffffu;

fn stored_at(at: u32) -> u32 {
  return at;
}

fn unpack(stored: Stored, at: u32) -> Key {
  return stored;
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
