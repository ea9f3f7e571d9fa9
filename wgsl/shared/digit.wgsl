// The digits of keys in their ordered form. A digit never spans two words. It is a digit of what is compared
// of the key, so equal keys have equal digits.

#import key
#import compared
#import normalization
#constant DIGIT_BITS  // the maximum number of bits of a digit

// The maximum number of values of a digit.
const DIGITS = 1u << DIGIT_BITS;

// Returns the digit whose lowest bit is `shift`. `mask` is one less than the number of values that it can
// have.
fn digit_at(ordered: Key, shift: u32, mask: u32) -> u32 {
  return (word_at(compared(ordered), shift >> 5u) >> (shift & 31u)) & mask;
}

// The digit of a key in the form in which it moves.
fn moved_digit(moved: Key, shift: u32, mask: u32) -> u32 {
  return digit_at(stretched(moved, stretch()), shift, mask);
}

// Returns one past the highest bit of the digit whose lowest bit is `shift`, of the bits up to `end`.
fn digit_end(shift: u32, end: u32) -> u32 {
  let limit = select(end, 32u, shift < 32u && end > 32u);
  return min(shift + DIGIT_BITS, limit);
}
