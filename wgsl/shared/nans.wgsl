// Tells NaNs by their ordered form. In ascending order they come after +infinity.

#import key
#constant NANS_FIRST  // 1 if the order is descending

#if nans/32
#constant FLOAT_BITS  // 16 or 32

// The ordered form of +infinity in ascending order.
const INFINITY = select(0xff000001u, 0xf801u, FLOAT_BITS == 16u);
const OUTERMOST = 0xffffffffu >> (32u - FLOAT_BITS);

// The form of the outermost NaN.
fn outermost_nan() -> Key {
  return select(OUTERMOST, 0u, NANS_FIRST == 1u);
}

fn is_nan_form(ordered: Key) -> bool {
  if NANS_FIRST == 1u { return ordered < (INFINITY ^ OUTERMOST); }
  return ordered > INFINITY;
}
#elif nans/64
// The ordered form of +infinity in ascending order: its high word and its low word.
const INFINITY_HIGH = 0xffe00000u;
const INFINITY_LOW = 1u;

fn outermost_nan() -> Key {
  return Key(select(0xffffffffu, 0u, NANS_FIRST == 1u));
}

fn is_nan_form(ordered: Key) -> bool {
  let flip = select(0u, 0xffffffffu, NANS_FIRST == 1u);
  let high = ordered.y ^ flip;
  // These operators do not branch, as || and && may.
  return (high > INFINITY_HIGH) | ((high == INFINITY_HIGH) & ((ordered.x ^ flip) > INFINITY_LOW));
}
#end
