// The range of keys, as far as a sample tells. Keys move normalized: without the least key of the range,
// without a gap, and shifted to the top. So numbers of any range use all values of the topmost digit, wherever
// it begins, and two fields that are packed into a key follow each other closely. A gap is the topmost run of
// three or more bits in which no two samples differ, though some differ above and below it, if it lies where a
// segment and a bin are chosen.

#import key
#import order

struct KeyRange {
  least: Key,      // is subtracted from each key
  span: Key,       // the greatest key minus the least
  gap: Key,        // the bits of the gap that are left out
  below_gap: Key,  // the bits below
  gap_bits: u32,
  unused: u32,     // topmost bits that no difference from the least key needs, the gap closed
  stretch: u32,    // what `stretched` adds, as a fraction of 2^8
}

#if key_range/32
const KEY_BITS_OF_RANGE = 32u;

fn plus(a: Key, b: Key) -> Key {
  return a + b;
}

fn minus(a: Key, b: Key) -> Key {
  return a - b;
}

// The number of bits of a key without its leading zeros; at least 1.
fn used_bits(key: Key) -> u32 {
  return 32u - countLeadingZeros(key | 1u);
}

// The word that has a key's topmost bits.
fn top_word(key: Key) -> u32 {
  return key;
}

// A normalized key, stretched so that a range whose length is no power of two uses all values of a digit, too:
// a key in the middle of the range gets the middle value. It ascends with the key. Digits are taken of it, but
// the key cannot be computed from it.
fn stretched_by(moved: Key, stretch: u32) -> Key {
  return moved + (moved >> 8u) * stretch;
}

fn with_top_word(word: u32) -> Key {
  return word;
}
#elif key_range/64
const KEY_BITS_OF_RANGE = 64u;

fn plus(a: Key, b: Key) -> Key {
  let low = a.x + b.x;
  return Key(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn minus(a: Key, b: Key) -> Key {
  return Key(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn used_bits(key: Key) -> u32 {
  return select(64u - countLeadingZeros(key.y), 32u - countLeadingZeros(key.x | 1u), key.y == 0u);
}

fn top_word(key: Key) -> u32 {
  return key.y;
}

// Only the topmost word is stretched.
fn stretched_by(moved: Key, stretch: u32) -> Key {
  return Key(moved.x, moved.y + (moved.y >> 8u) * stretch);
}

fn with_top_word(word: u32) -> Key {
  return Key(0u, word);
}
#end

const ALL_KEYS = KeyRange(Key(0u), Key(0xffffffffu), Key(0u), Key(0u), 0u, 0u, 0u);

// The `count` lowest bits: 1 to all of them.
fn low_bits(count: u32) -> Key {
  return shift_down(Key(0xffffffffu), KEY_BITS_OF_RANGE - count);
}

// The shifts take 2% of a sort of keys of two words, so keys without a gap are left as they are.
fn without_gap(difference: Key, range: KeyRange) -> Key {
  if range.gap_bits == 0u { return difference; }
  return (difference & range.below_gap) | (shift_down(difference, range.gap_bits) & ~range.below_gap);
}

fn with_gap(closed: Key, range: KeyRange) -> Key {
  if range.gap_bits == 0u { return closed; }
  return (closed & range.below_gap) | shift_up(closed & ~range.below_gap, range.gap_bits);
}

fn normalize(ordered: Key, range: KeyRange) -> Key {
  return shift_up(without_gap(minus(ordered, range.least), range), range.unused);
}

fn denormalize(moved: Key, range: KeyRange) -> Key {
  return plus(with_gap(shift_down(moved, range.unused), range), range.least);
}

// The least normalized key of the range whose stretched form has this topmost word, or a greater one. A word
// t is stretched to (t / 256) * (256 + stretch) + t % 256.
fn first_stretched_to(word: u32, range: KeyRange) -> Key {
  let step = 256u + range.stretch;
  let first = with_top_word(word / step * 256u + min(word % step, 256u));
  if range.unused == 0u { return first; }
  // Normalized keys are multiples of this.
  let below = low_bits(range.unused);
  return plus(first, below) & ~below;
}

// A key all of whose digits are the largest, if they are among the topmost 23 bits of its stretched form.
fn last_stretched(range: KeyRange) -> Key {
  return with_top_word(0xffffffffu / (256u + range.stretch) * 256u);
}

fn is_outside(ordered: Key, range: KeyRange) -> bool {
  let difference = minus(ordered, range.least);
  return precedes(range.span, difference) | any((difference & range.gap) != Key(0u));
}
