// The linear place of floats of one word that spread_table.wgsl cuts into regions: their ordered form.

#import key

// The place of a key in its ordered form, as a fraction of 2^32.
fn spread_word(ordered: Key) -> u32 {
  return ordered;
}

// What follows the topmost REGION_BITS bits of the place, as a fraction of a region.
fn spread_rest(ordered: Key) -> u32 {
  return ordered << 12u;
}

// A key whose topmost word is a code.
fn spread_form(code: u32) -> Key {
  return code;
}
