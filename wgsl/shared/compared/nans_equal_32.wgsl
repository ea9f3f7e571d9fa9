// 32-bit floats are compared such that all NaNs are equal. A stable sort then keeps NaNs in their input order,
// as it does equal numbers. Values, indices or partial bits make that order visible. The ordered form itself
// stays a bijection, because the sort must give back the bits of each NaN.

#import key
#import nan_form_32

// What is compared of a key in its ordered form.
fn compared(ordered: Key) -> Key {
  return nan_form(ordered);
}

// The number of the topmost bits that are left out.
fn shared_bit_count() -> u32 {
  return 0u;
}
