// The least and the greatest key of a sample, as a workgroup finds them.

#family msd
#import key
#enable subgroups

struct Extremes {
  least: Key,
  most: Key,
}

// The least and the greatest high word, and the least and the greatest low word among keys with these.
var<workgroup> extreme_words: array<atomic<u32>, 4>;

// The extremes of all invocations. All invocations must call it.
fn workgroup_extremes(own: Extremes, invocation: u32) -> Extremes {
  if invocation < 4u { atomicStore(&extreme_words[invocation], select(0xffffffffu, 0u, invocation % 2u == 1u)); }
  // The only word of a short key is both its low and its high word.
  let least_high = subgroupMin(word_at(own.least, 1u));
  let most_high = subgroupMax(word_at(own.most, 1u));
  workgroupBarrier();
  if subgroupElect() {
    atomicMin(&extreme_words[0], least_high);
    atomicMax(&extreme_words[1], most_high);
  }
  workgroupBarrier();
  let high = vec2u(atomicLoad(&extreme_words[0]), atomicLoad(&extreme_words[1]));
  let least_low = subgroupMin(select(0xffffffffu, word_at(own.least, 0u), word_at(own.least, 1u) == high.x));
  let most_low = subgroupMax(select(0u, word_at(own.most, 0u), word_at(own.most, 1u) == high.y));
  if subgroupElect() {
    atomicMin(&extreme_words[2], least_low);
    atomicMax(&extreme_words[3], most_low);
  }
  workgroupBarrier();
  return Extremes(
    key_of(atomicLoad(&extreme_words[2]), high.x),
    key_of(atomicLoad(&extreme_words[3]), high.y),
  );
}
