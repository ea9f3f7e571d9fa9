// A key of one 32-bit word, as raw bits.

alias Key = u32;

// The image under to_ordered that no key exceeds.
const MAX_ORDERED: Key = 0xffffffffu;

fn word_at(key: Key, word: u32) -> u32 {
  return key;
}
