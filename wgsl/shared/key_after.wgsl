#if key_after/32
// Keys of one word that go after a bound, and are spread over the digit values next to those of the keys before it.

#import key
#import mix32

// A bit that a bound lacks: the next one below the topmost bit in which keys before the bound differ from it. The
// bound then is in the third quarter of the values that share the bits above, and the fourth quarter is free. If
// the bound has that bit, the lowest one that it lacks above the topmost. 0 if there is none.
fn lacking_bit(bound: Key, differing: Key) -> Key {
  let zeros = countLeadingZeros(differing);
  let below = select(0xffffffffu >> (zeros & 31u), 0u, zeros == 32u);
  let next = (below ^ (below >> 1u)) >> 1u;
  if next != 0u && (bound & next) == 0u { return next; }
  let filled = bound | below;
  return ~filled & (filled + 1u);
}

// An ordered form after `bound`, by the seed: with the bit that the bound lacks, and random bits below it. There is
// none after the greatest form but that itself.
fn key_after(bound: Key, lacking: Key, seed: u32) -> Key {
  if lacking == 0u { return MAX_ORDERED; }
  let lower = lacking - 1u;
  return ((bound | lacking) & ~lower) | (mix32(seed) & lower);
}

#elif key_after/64
// Keys of two words that go after a bound: see above.

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

#end
