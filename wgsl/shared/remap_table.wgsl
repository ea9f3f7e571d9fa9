// The table of the equi-depth remap, which gives all segments of two digits about as many floats. It cuts their
// order into regions of an eighth of an octave, and gives each region as many of 2^16 codes as its keys need;
// src/core/sort/msd/msd_remap.ts says why. A word of the table has a region's first code in its upper half, and the
// number of its codes in its lower half.

#family msd/remap

// The topmost bits of a key's place that choose its region.
const REGION_BITS = 12u;
const REGIONS = 1u << REGION_BITS;

alias RemapTable = array<u32, REGIONS>;

// The code of a key, as a fraction of 2^32: its topmost 16 bits are the code. `rest` is where the key is in its
// region.
fn remap_code(region: u32, rest: u32) -> u32 {
  let codes = region & 0xffffu;
  return (region & 0xffff0000u) + (rest >> 16u) * codes + (((rest & 0xffffu) * codes) >> 16u);
}
