// What the first word of `status` says of a sort by the most significant digit first. Bit 0 says that keys
// move by that sort. Three words follow that a grid barrier uses, or else two with the bits in which keys differ,
// and from the fifth word on the table of a remap (remap_word.wgsl) or what decimals.wgsl needs.

// A segment does not fit its tile, a sample showed that one will not, or a key lies outside the sample: the
// fallback sorts all keys.
const FALLBACK = 0u;
// All segments fit their tiles, as far as they are known.
const FITS = 1u;
// The samples have so few distinct values that keys are counted by their values, and not moved.
const LOW_CARDINALITY = 2u;
// Digits are taken of the codes that the equi-depth remap gives to floats, and all segments fit their tiles.
const REMAPPED = 3u;
// The fallback moves whole numbers in place of floats that are decimals of few places: see decimals.wgsl.
const DECIMALS = 4u;
// The range of the samples has no bits below the digits, so all keys of a segment are equal. Segments then may
// have any length, the last scatter writes keys as the sort returns them, and no local sort follows.
const EQUAL_SEGMENTS = 5u;

// The first of the words of differing_bits.wgsl.
const FIRST_DIFFERING = 1u;

fn moves_keys(status: u32) -> bool {
  return (status & 1u) != 0u;
}

#if differing_bits/published
#constant STATUS  // number of the binding

@group(0) @binding(STATUS) var<storage, read_write> status: array<atomic<u32>>;

fn status_word(at: u32) -> u32 {
  return atomicLoad(&status[at]);
}
#else
#if condition/if_fits|if_fallback
#constant STATUS

@group(0) @binding(STATUS) var<storage, read> status: array<u32>;

fn status_word(at: u32) -> u32 {
  return status[at];
}
#else
// A pass that runs always.
fn status_word(at: u32) -> u32 {
  return FITS;
}
#end
#end

fn current_status() -> u32 {
  return status_word(0u);
}

// Whether a pass must run. If not, it returns immediately. The device decides this itself, so the CPU reads
// nothing back.
fn must_run() -> bool {
#if condition/if_fallback
  // A fallback pass runs only if a sort by the most significant digit first cannot go on.
  return (current_status() & ~DECIMALS) == FALLBACK;
#else
  // A pass of that sort runs if keys move.
  return moves_keys(current_status());
#end
}

// Whether the keys of each distinct value are counted, and not moved.
fn has_low_cardinality() -> bool {
  return current_status() == LOW_CARDINALITY;
}

// Whether the digits alone sort the keys.
fn has_equal_segments() -> bool {
  return current_status() == EQUAL_SEGMENTS;
}

// Whether the fallback moves whole numbers in place of floats.
fn are_decimals() -> bool {
  return current_status() == DECIMALS;
}

// Whether digits are taken of the codes of a remap.
fn is_remapped() -> bool {
  return current_status() == REMAPPED;
}
