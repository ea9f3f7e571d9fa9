// Keys of two words that go after a bound: see 32.wgsl.

#import key
#import mix32

// All bits up to the topmost one of a word.
fn bits_up_to(word: u32) -> u32 {
  let zeros = countLeadingZeros(word);
  return select(0xffffffffu >> (zeros & 31u), 0u, zeros == 32u);
}

fn half(word: vec2u) -> vec2u {
  return vec2u((word.x >> 1u) | (word.y << 31u), word.y >> 1u);
}

fn lacking_bit(bound: Key, differing: Key) -> Key {
  let below = vec2u(select(bits_up_to(differing.x), 0xffffffffu, differing.y != 0u), bits_up_to(differing.y));
  let next = half(below ^ half(below));
  if any(next != vec2u()) && all((bound & next) == vec2u()) { return next; }
  let filled = bound | below;
  let carry = select(0u, 1u, filled.x == 0xffffffffu);
  return ~filled & vec2u(filled.x + 1u, filled.y + carry);
}

fn key_after(bound: Key, lacking: Key, seed: u32) -> Key {
  if all(lacking == vec2u()) { return MAX_ORDERED; }
  let lower = vec2u(lacking.x - 1u, lacking.y - select(0u, 1u, lacking.x == 0u));
  return ((bound | lacking) & ~lower) | (vec2u(mix32(seed), mix32(~seed)) & lower);
}
