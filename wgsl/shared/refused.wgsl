#if refused/after_sample
// Whether a sort by the most significant digit first moves no keys: because its sample showed that segments
// will not fit (msd_sample.wgsl has set `status` to FALLBACK or LOW_CARDINALITY), or because some key is
// outside the range of the samples, or has none of their values.

#import status
#constant OUTLIERS  // number of the binding

const MAY_BE_REFUSED = true;

// What `status` is as long as all segments fit.
const STATUS_IF_FIT = FITS;

@group(0) @binding(OUTLIERS) var<storage, read> outliers: array<u32>;  // see outliers/

fn is_refused(before: u32) -> bool {
  // Both loads are in flight at once.
  return (before != FITS) | (outliers[0] != 0u);
}

// What `status` becomes then: LOW_CARDINALITY if all keys have been counted by their values, or FALLBACK.
fn status_if_refused(before: u32) -> u32 {
  return select(FALLBACK, before, outliers[0] == 0u);
}

#elif refused/unless_remapped
// Whether a sort moves no remapped floats: unless msd_remap_plan.wgsl has made the table.

#import status

const MAY_BE_REFUSED = true;

// What `status` is as long as all segments fit.
const STATUS_IF_FIT = REMAPPED;

fn is_refused(before: u32) -> bool {
  return before != REMAPPED;
}

fn status_if_refused(before: u32) -> u32 {
  return before;
}

#else
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

#end
