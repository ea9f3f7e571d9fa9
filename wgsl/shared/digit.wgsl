// Digits of ordered images. Needs a key (for `word_at`) and the constant DIGIT_BITS: the most that a digit has. No digit
// lies across two words.

const DIGITS = 1u << DIGIT_BITS;

// mask: one less than the number of values that the digit can have.
fn digit_at(image: Key, shift: u32, mask: u32) -> u32 {
  return (word_at(image, shift >> 5u) >> (shift & 31u)) & mask;
}
