// Whether a sort that spreads floats by a table has been given up, or was not needed: unless
// msd_spread_plan.wgsl has made the table.

#import spread_table
#family msd/spread

const MAY_BE_REFUSED = true;

// What `fits` is as long as all segments fit.
const THEY_FIT = ARE_SPREAD;

fn is_refused(fits: u32) -> bool {
  return fits != ARE_SPREAD;
}

fn fits_if_refused(fits: u32) -> u32 {
  return fits;
}
