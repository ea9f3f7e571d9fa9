// For a sort by the most significant digit first that begins without a sample pass.

#import status

const MAY_BE_REFUSED = false;

// What `status` is as long as all segments fit.
const STATUS_IF_FIT = FITS;

fn is_refused(before: u32) -> bool {
  return false;
}

fn status_if_refused(before: u32) -> u32 {
  return FALLBACK;
}
