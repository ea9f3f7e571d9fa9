#if compared/nans_equal_32
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

#elif compared/nans_equal_64
// 64-bit floats are compared such that all NaNs are equal: see compared/nans_equal_32 above.

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

#elif compared/ordered
// Keys are compared by their ordered form. So all keys with different bits differ.

#import key

// What is compared of a key in its ordered form.
fn compared(ordered: Key) -> Key {
  return ordered;
}

#elif compared/remapped
// What is compared of floats is their ordered form, or their codes in the table that msd_remap_plan.wgsl has
// made.

#import key
#import remap_word
#constant REMAP  // number of the binding

@group(0) @binding(REMAP) var<storage, read> remap: RemapTable;

// Whether codes are compared. A kernel sets it once and calls its loop from two places. Drivers inline
// functions, so they compile one copy for codes and one for keys, and no key tests it: that would take a
// sixth of a sort's time.
var<private> compares_codes = false;

// What is compared of a key in its ordered form.
fn compared(ordered: Key) -> Key {
  if !compares_codes { return ordered; }
  let region = remap[remap_word(ordered) >> (32u - REGION_BITS)];
  return remap_form(remap_code(region, remap_rest(ordered)));
}

#end
