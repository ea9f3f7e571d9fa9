// A key of two 32-bit words, as raw bits: x is the less significant.

alias Key = vec2u;

// The image under to_ordered that no key exceeds.
const MAX_ORDERED: Key = vec2u(0xffffffffu);

fn word_at(key: Key, word: u32) -> u32 {
  return select(key.x, key.y, word == 1u);
}
