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
