// The range of keys, as far as a sample tells. Keys move normalized: without the least key of the range, and shifted
// to the top. So numbers of any range use all values of the topmost digit, wherever it begins.

#import key

struct KeyRange {
  least: Key,    // is subtracted from each key
  span: Key,     // the greatest key minus the least
  unused: u32,   // topmost bits that no difference from the least key needs
  stretch: u32,  // what `stretched` adds, as a fraction of 2^8
}

#if key_range/32
const ALL_KEYS = KeyRange(0u, 0xffffffffu, 0u, 0u);

// How far a range reaches beyond a sample at one end: by a margin, or to the last key there that has the topmost bits
// of all samples, if that is at most two margins away. Keys often have all values of their lower bits.
fn reach(margin: Key, to_last: Key) -> Key {
  return select(margin, to_last, to_last >> 1u <= margin);
}

// The range of a sample, with a margin at both ends of 1 / 2^margin_bits of it, for keys that the sample missed.
fn range_between(least: Key, most: Key, margin_bits: u32) -> KeyRange {
  let margin = (most - least) >> margin_bits;
  let own_bits = 0xffffffffu >> countLeadingZeros((least ^ most) | 1u);
  let first = least - reach(margin, least & own_bits);
  let span = most + reach(margin, ~most & own_bits) - first;
  let unused = countLeadingZeros(span | 1u);
  let top = span << unused;
  return KeyRange(first, span, unused, ~top / ((top >> 8u) + 1u));
}

fn normalize(ordered: Key, range: KeyRange) -> Key {
  return (ordered - range.least) << range.unused;
}

fn denormalize(moved: Key, range: KeyRange) -> Key {
  return (moved >> range.unused) + range.least;
}

fn is_outside(ordered: Key, range: KeyRange) -> bool {
  return ordered - range.least > range.span;
}

// The word that has a key's topmost bits.
fn top_word(key: Key) -> u32 {
  return key;
}

// A normalized key stretched so that a range that is no power of two uses all values of a digit, too: the key of
// the range that is as far from its least key as a fraction of all keys is. It grows with the key, and takes
// digits, but not the key back.
fn stretched_by(moved: Key, stretch: u32) -> Key {
  return moved + (moved >> 8u) * stretch;
}
#elif key_range/64
#import order

const ALL_KEYS = KeyRange(Key(0u), Key(0xffffffffu), 0u, 0u);

fn plus(a: Key, b: Key) -> Key {
  let low = a.x + b.x;
  return Key(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn minus(a: Key, b: Key) -> Key {
  return Key(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn is_less(a: Key, b: Key) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}

// The topmost bits that are 0; at most 63.
fn leading_zeros(key: Key) -> u32 {
  return select(countLeadingZeros(key.y), 32u + countLeadingZeros(key.x | 1u), key.y == 0u);
}

fn reach(margin: Key, to_last: Key) -> Key {
  return select(to_last, margin, is_less(margin, shift_down(to_last, 1u)));
}

fn range_between(least: Key, most: Key, margin_bits: u32) -> KeyRange {
  let margin = shift_down(minus(most, least), margin_bits);
  let own_bits = shift_down(Key(0xffffffffu), leading_zeros(least ^ most));
  let first = minus(least, reach(margin, least & own_bits));
  let span = minus(plus(most, reach(margin, ~most & own_bits)), first);
  let unused = leading_zeros(span);
  let top = shift_up(span, unused).y;
  return KeyRange(first, span, unused, ~top / ((top >> 8u) + 1u));
}

fn normalize(ordered: Key, range: KeyRange) -> Key {
  return shift_up(minus(ordered, range.least), range.unused);
}

fn denormalize(moved: Key, range: KeyRange) -> Key {
  return plus(shift_down(moved, range.unused), range.least);
}

fn is_outside(ordered: Key, range: KeyRange) -> bool {
  return is_less(range.span, minus(ordered, range.least));
}

fn top_word(key: Key) -> u32 {
  return key.y;
}

// Only the topmost word is stretched.
fn stretched_by(moved: Key, stretch: u32) -> Key {
  return Key(moved.x, moved.y + (moved.y >> 8u) * stretch);
}
#end
