// Whether a sort by the most significant digit first has been given up: because its sample showed that segments
// will not fit (msd_sample.wgsl has set `fits` to 0 or, if values are counted, to 2), or because some key is
// outside the range of the samples, or has none of their values.

#constant OUTLIERS  // number of the binding

const MAY_BE_REFUSED = true;

// What `fits` is as long as all segments fit.
const THEY_FIT = 1u;

@group(0) @binding(OUTLIERS) var<storage, read> outliers: array<u32>;  // see outliers/

fn is_refused(fits: u32) -> bool {
  // Both loads are in flight together.
  return (fits != 1u) | (outliers[0] != 0u);
}

// What `fits` becomes if the sort has been given up: 2 if all keys have been counted by their values, or 0 for
// the fallback.
fn fits_if_refused(fits: u32) -> u32 {
  return select(0u, fits, outliers[0] == 0u);
}
