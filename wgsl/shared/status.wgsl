// What the word `status` says of a sort by the most significant digit first.

// A segment does not fit its tile, a sample showed that one will not, or a key lies outside the sample: the
// fallback sorts all keys.
const FALLBACK = 0u;
// All segments fit their tiles, as far as they are known.
const FITS = 1u;
// The samples have so few distinct values that keys are counted by their values, and not moved.
const LOW_CARDINALITY = 2u;
// Digits are taken of the codes that the equi-depth remap gives to floats, and all segments fit their tiles.
const REMAPPED = 3u;

#if condition/if_fits|if_remapped|if_fallback
#constant STATUS  // number of the binding

@group(0) @binding(STATUS) var<storage, read> status: array<u32>;
#end

// Whether a pass must run. If not, it returns immediately. The device decides this itself, so the CPU reads nothing
// back.
fn must_run() -> bool {
#if condition/if_fits
  // A pass of a sort by the most significant digit first runs if all segments fit, as far as is known.
  return status[0] == FITS;
#elif condition/if_remapped
  // So does one that sorts remapped floats, once msd_remap_plan.wgsl has made the table.
  return status[0] == REMAPPED;
#elif condition/if_fallback
  // A fallback pass runs only if that sort cannot go on.
  return status[0] == FALLBACK;
#else
  return true;
#end
}

// Whether the keys of each distinct value are counted, and not moved.
fn has_low_cardinality() -> bool {
#if condition/if_fits
  return status[0] == LOW_CARDINALITY;
#else
  return false;
#end
}
