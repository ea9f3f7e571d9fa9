// Digits of ordered images. Needs key32 or key64 (for `word_at`) and the constant DIGIT_BITS, which divides 32.

const DIGITS = 1u << DIGIT_BITS;

fn digit_at(image: Key, shift: u32) -> u32 {
  return (word_at(image, shift >> 5u) >> (shift & 31u)) & (DIGITS - 1u);
}
