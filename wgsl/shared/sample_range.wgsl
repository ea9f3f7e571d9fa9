// What a workgroup finds of the keys of a sample: the least and the greatest, and the bits in which some differ.

#family msd
#import key
#import order
#enable subgroups

struct Sample {
  least: Key,
  most: Key,
  differing: Key,  // the bits in which some key differs from the first one of the sample
}

fn with_key(sample: Sample, key: Key, first: Key) -> Sample {
  return Sample(first_of(sample.least, key), last_of(sample.most, key), sample.differing | (key ^ first));
}

// The least and the greatest high word, and the least and the greatest low word among keys with these.
var<workgroup> extreme_words: array<atomic<u32>, 4>;
var<workgroup> differing_words: array<atomic<u32>, 2>;

// The samples of all invocations. All invocations must call it.
fn workgroup_sample(own: Sample, invocation: u32) -> Sample {
  if invocation < 4u { atomicStore(&extreme_words[invocation], select(0xffffffffu, 0u, invocation % 2u == 1u)); }
  if invocation < 2u { atomicStore(&differing_words[invocation], 0u); }
  // The only word of a short key is both its low and its high word.
  let least_high = subgroupMin(word_at(own.least, 1u));
  let most_high = subgroupMax(word_at(own.most, 1u));
  let differing = subgroupOr(own.differing);
  workgroupBarrier();
  if subgroupElect() {
    atomicMin(&extreme_words[0], least_high);
    atomicMax(&extreme_words[1], most_high);
    atomicOr(&differing_words[0], word_at(differing, 0u));
    atomicOr(&differing_words[1], word_at(differing, 1u));
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
  return Sample(
    key_of(atomicLoad(&extreme_words[2]), high.x),
    key_of(atomicLoad(&extreme_words[3]), high.y),
    key_of(atomicLoad(&differing_words[0]), atomicLoad(&differing_words[1])),
  );
}
