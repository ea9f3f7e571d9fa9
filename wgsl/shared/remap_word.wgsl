#family msd/remap
#if remap_word/32
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

#elif remap_word/64
// The linear place of floats of two words that remap_table.wgsl cuts into regions. Their 11 bits of exponent
// are folded to the 8 bits that a float of one word has: floats beyond those take the first or the last place
// of their sign. So a region is an eighth of an octave for both.

#import key
#constant ZERO_HIGH  // the high word of the ordered form of the float that begins the upper half of the order

// The distance of the smallest exponent from 0, in the high word, and the number of exponents.
const SMALLEST = 896u << 20u;
const FOLDED = 256u << 20u;

// The place of a key in its ordered form, as a fraction of 2^64. x is the less significant word.
fn folded(ordered: Key) -> vec2u {
  // The lower half of the order mirrors the upper one.
  let mirror = select(0xffffffffu, 0u, ordered.y >= ZERO_HIGH);
  let distance = (ordered.y - ZERO_HIGH) ^ mirror;
  let low = ordered.x ^ mirror;
  let above = max(distance, SMALLEST) - SMALLEST;
  var place = vec2u(low << 3u, (above << 3u) | (low >> 29u));
  place = select(place, vec2u(0u), distance < SMALLEST);
  place = select(place, vec2u(0xffffffffu, 0x7fffffffu), above >= FOLDED);
  return place ^ vec2u(mirror, mirror ^ 0x80000000u);
}

// The place of a key in its ordered form, as a fraction of 2^32.
fn remap_word(ordered: Key) -> u32 {
  return folded(ordered).y;
}

// What follows the topmost REGION_BITS bits of the place, as a fraction of a region.
fn remap_rest(ordered: Key) -> u32 {
  let place = folded(ordered);
  return (place.y << 12u) | (place.x >> 20u);
}

// A key whose topmost word is a code.
fn remap_form(code: u32) -> Key {
  return Key(0u, code);
}

#end
