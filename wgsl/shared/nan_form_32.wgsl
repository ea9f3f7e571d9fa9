// One form for all NaNs of 32 bits.

#import key
#constant NANS_FIRST  // 1 if the order is descending

// The ordered form of +infinity in ascending order; the forms above it are those of the NaNs.
const INFINITY = 0xff000001u;

// The ordered form of a number, and the outermost form for every NaN.
fn nan_form(ordered: Key) -> Key {
  if NANS_FIRST == 1u { return select(ordered, 0u, ordered < ~INFINITY); }
  return select(ordered, 0xffffffffu, ordered > INFINITY);
}
