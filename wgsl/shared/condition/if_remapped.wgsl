// For a pass of a sort by the most significant digit first that remaps floats. It runs if
// msd_remap_plan.wgsl has made the table, unless an earlier pass found a segment that is too long.

#import status
#constant STATUS  // number of the binding
#family msd/remap

@group(0) @binding(STATUS) var<storage, read> status: array<u32>;

// Whether the pass must run. If not, it returns immediately.
fn must_run() -> bool {
  return status[0] == REMAPPED;
}
