// The table of the equi-depth remap, which gives all segments of two digits about as many floats. It cuts their
// order into regions of an eighth of an octave, and gives each region as many of 2^16 codes as its keys need;
// src/core/sort/msd/msd_remap.ts says why. A word of the table has a region's first code in its upper half, and
// the number of its codes in its lower half.

// The topmost bits of a key's place that choose its region.
const REGION_BITS = 12u;
const REGIONS = 1u << REGION_BITS;

// The word of the buffer "status" where the table begins. It has no buffer of its own, because devices promise
// eight storage buffers for a kernel, and the stable scatter of listed chunks has them.
const TABLE_BEGIN = 4u;

// The word of "status" that has the region of a key.
fn region_at(ordered: Key) -> u32 {
  return TABLE_BEGIN + (remap_word(ordered) >> (32u - REGION_BITS));
}

// The code of a key, as a fraction of 2^32: its topmost 16 bits are the code. `rest` is where the key is in its
// region.
fn remap_code(region: u32, rest: u32) -> u32 {
  let codes = region & 0xffffu;
  return (region & 0xffff0000u) + (rest >> 16u) * codes + (((rest & 0xffffu) * codes) >> 16u);
}

#if remap_word/32
// The linear place of floats of one word that the table cuts into regions: their ordered form.

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
// The linear place of floats of two words that the table cuts into regions. Their 11 bits of exponent
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
