// Whether a sort moves no remapped floats: unless msd_remap_plan.wgsl has made the table.

#import status
#family msd/remap

const MAY_BE_REFUSED = true;

// What `status` is as long as all segments fit.
const STATUS_IF_FIT = REMAPPED;

fn is_refused(before: u32) -> bool {
  return before != REMAPPED;
}

fn status_if_refused(before: u32) -> u32 {
  return before;
}
