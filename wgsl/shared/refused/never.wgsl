// For a sort by the most significant digit first that begins without a sample pass.

const MAY_BE_REFUSED = false;

// What `fits` is as long as all segments fit.
const THEY_FIT = 1u;

fn is_refused(fits: u32) -> bool {
  return false;
}

fn fits_if_refused(fits: u32) -> u32 {
  return 0u;
}
