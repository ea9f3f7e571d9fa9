#if compared/nans_equal
// Floats are compared such that all NaNs are equal. A stable sort then keeps NaNs in their input order, as it
// does equal numbers. Values, indices or partial bits make that order visible. The ordered form itself stays
// a bijection, because the sort must give back the bits of each NaN.

#import key
#import nans

// What is compared of a key in its ordered form: the outermost form for every NaN.
fn compared(ordered: Key) -> Key {
  return select(ordered, outermost_nan(), is_nan_form(ordered));
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
// made. Keys that count as equal have the same bits, as where values move, NaNs lead to the fallback
// (msd_count.wgsl).

#import key
#import remap_word
#import status

// Whether codes are compared. A kernel sets it once and calls its loop from two places. Drivers inline
// functions, so they compile one copy for codes and one for keys, and no key tests it: that would take a
// sixth of a sort's time.
var<private> compares_codes = false;

// What is compared of a key in its ordered form.
fn compared(ordered: Key) -> Key {
  if !compares_codes { return ordered; }
  let region = status_word(region_at(ordered));
  return remap_form(remap_code(region, remap_rest(ordered)));
}

#end
