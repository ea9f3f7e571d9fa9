// 64-bit floats are compared such that all NaNs are equal: see nans_equal_32.wgsl.

#import key
#constant NANS_FIRST  // 1 if the order is descending

// The ordered form of +infinity in ascending order: its high word and its low word.
const INFINITY_HIGH = 0xffe00000u;
const INFINITY_LOW = 1u;

// What is compared of a key in its ordered form: the outermost form for every NaN.
fn compared(ordered: Key) -> Key {
  let flip = select(0u, 0xffffffffu, NANS_FIRST == 1u);
  let high = ordered.y ^ flip;
  // These operators do not branch, as || and && may.
  let is_nan = (high > INFINITY_HIGH) | ((high == INFINITY_HIGH) & ((ordered.x ^ flip) > INFINITY_LOW));
  return select(ordered, Key(~flip), is_nan);
}
