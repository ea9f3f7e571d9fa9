// Floats of up to 32 bits are compared such that all NaNs are equal. A stable sort then keeps NaNs in their
// input order, as it does equal numbers. Values, indices or partial bits make that order visible. The ordered
// form itself stays a bijection, because the sort must give back the bits of each NaN.

#import key
#constant NANS_FIRST  // 1 if the order is descending
#constant FLOAT_BITS  // 16 or 32

// The ordered form of +infinity in ascending order; the forms above it are those of the NaNs.
const INFINITY = select(0xff000001u, 0xf801u, FLOAT_BITS == 16u);
const OUTERMOST = 0xffffffffu >> (32u - FLOAT_BITS);

// What is compared of a key in its ordered form: the outermost form for every NaN.
fn compared(ordered: Key) -> Key {
  if NANS_FIRST == 1u { return select(ordered, 0u, ordered < (INFINITY ^ OUTERMOST)); }
  return select(ordered, OUTERMOST, ordered > INFINITY);
}
