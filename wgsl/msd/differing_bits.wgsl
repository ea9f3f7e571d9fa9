// The bits in which keys differ. Moves by bits in which no keys differ are skipped, two at a time: two moves
// leave the keys in the buffer from which they came. The first two always run, as they take the keys from the
// sort's input. The first count finds the bits, as it reads all keys. They are two words of the buffer
// "status": those of a key's low word, and those of its high word. Of signed keys, they are those in which
// distances differ (bias.wgsl).

#import status

#if differing_bits/published
#import difference

// Publishes in which bits the keys that the workgroup has counted differ from the first key.
fn publish_difference(invocation: u32) {
  if invocation >= 2u { return; }
  let bits = atomicLoad(&differing[invocation]);
  let at = FIRST_DIFFERING + invocation;
  if (bits & ~status_word(at)) != 0u { atomicOr(&status[at], bits); }
}
#elif differing_bits/read
#import radix_pass
#import key
#import bias

fn published_differences() -> Key {
  return key_of(status_word(FIRST_DIFFERING), status_word(FIRST_DIFFERING + 1u));
}

// The bits by which keys must move.
fn moved_bits() -> vec2u {
  let bits = bits_to_sort_by(published_differences());
  return vec2u(word_at(bits, 0u), word_at(bits, 1u));
}

fn keys_differ_in(low: u32, high: u32) -> bool {
  return any((moved_bits() & vec2u(low, high)) != vec2u(0u));
}

// Whether the move is skipped.
fn is_skipped() -> bool {
  return (params.pair_low | params.pair_high) != 0u && !keys_differ_in(params.pair_low, params.pair_high);
}

fn are_later_skipped() -> bool {
  return !keys_differ_in(params.later_low, params.later_high);
}
#end
