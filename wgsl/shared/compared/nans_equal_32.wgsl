// 32-bit floats are compared such that all NaNs are equal. A stable sort then keeps NaNs in their input order,
// as it does equal numbers. Values, indices or partial bits make that order visible. The ordered form itself
// stays a bijection, because the sort must give back the bits of each NaN.

#import key
#constant NANS_FIRST  // 1 if the order is descending

// The ordered form of +infinity in ascending order; the forms above it are those of the NaNs.
const INFINITY = 0xff000001u;

// What is compared of a key in its ordered form: the outermost form for every NaN.
fn compared(ordered: Key) -> Key {
  if NANS_FIRST == 1u { return select(ordered, 0u, ordered < ~INFINITY); }
  return select(ordered, 0xffffffffu, ordered > INFINITY);
}

// The number of the topmost bits that are left out.
fn shared_bit_count() -> u32 {
  return 0u;
}
