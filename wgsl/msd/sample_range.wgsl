// What a workgroup finds of the keys of a sample: the least and the greatest, the bits in which some differ,
// and the range of all keys that these suggest.

#import key
#import order
#import key_range
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

// A shorter gap gains less than it risks: a key that differs there sends the sort to the fallback.
const LEAST_GAP = 3u;
// The topmost bits of a range that choose a segment, at most, and those that choose a segment and a bin. A gap
// below these costs nothing.
const SEGMENT_BITS = 16u;
const PLACE_BITS = 24u;

// How far a range reaches beyond a sample at one end: by a margin, or to the last key there that has the
// topmost bits of all samples, if that is at most two margins away. Keys often have all values of their lower
// bits.
fn reach(margin: Key, to_last: Key) -> Key {
  return select(to_last, margin, precedes(margin, shift_down(to_last, 1u)));
}

// The topmost gap of a sample: from its lowest bit up to below `end`. Both are 0 if there is none.
struct Gap {
  begin: u32,
  end: u32,
}

// `differing` has the bits in which some samples differ.
fn gap_between(least: Key, most: Key, differing: Key) -> Gap {
  // `runs` has the lowest bit of each three in which no samples differ; its topmost bit ends the topmost gap.
  let equal = ~differing & low_bits(used_bits(least ^ most));
  let runs = equal & shift_down(equal, 1u) & shift_down(equal, 2u);
  let end = used_bits(runs) + LEAST_GAP - 1u;
  let lower = differing & low_bits(end);
  if all(runs == Key(0u)) || all(lower == Key(0u)) { return Gap(0u, 0u); }
  return Gap(used_bits(lower), end);
}

// The range of a sample, with a margin at both ends of 1 / 2^margin_bits of it, for keys that the sample
// missed. `has_tail`: whether keys may have more bits below the gap than any sample has there.
fn range_between(least: Key, most: Key, found: Gap, has_tail: bool, margin_bits: u32) -> KeyRange {
  let margin = shift_down(minus(most, least), margin_bits);
  let own_bits = low_bits(used_bits(least ^ most));
  var range = ALL_KEYS;
  range.least = minus(least, reach(margin, least & own_bits));
  var last = plus(most, reach(margin, ~most & own_bits));
  let above = used_bits(minus(last, range.least)) - found.end;
  if found.end != 0u && above < PLACE_BITS {
    // A quarter remains for a tail; but segments need all bits.
    let rest = select(0u, (found.end - found.begin) / 4u, has_tail && above >= SEGMENT_BITS);
    let to_end = low_bits(found.end);
    range.below_gap = low_bits(found.begin + rest);
    range.gap = to_end & ~range.below_gap;
    range.gap_bits = found.end - found.begin - rest;
    // The least key is 0 below the gap and has the samples' bits in it, so no subtraction borrows across it.
    range.least = (range.least & ~to_end) | (least & range.gap);
    last |= to_end;
  }
  range.span = minus(last, range.least);
  let closed = without_gap(range.span, range);
  range.unused = KEY_BITS_OF_RANGE - used_bits(closed);
  let top = top_word(shift_up(closed, range.unused));
  range.stretch = ~top / ((top >> 8u) + 1u);
  return range;
}
