// The linear place of floats of one word that remap_table.wgsl cuts into regions: their ordered form.

#import key

// The place of a key in its ordered form, as a fraction of 2^32.
fn remap_word(ordered: Key) -> u32 {
  return ordered;
}

// What follows the topmost REGION_BITS bits of the place, as a fraction of a region.
fn remap_rest(ordered: Key) -> u32 {
  return ordered << 12u;
}

// A key whose topmost word is a code.
fn remap_form(code: u32) -> Key {
  return code;
}
