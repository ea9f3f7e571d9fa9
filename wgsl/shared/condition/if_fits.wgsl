// For a pass of a sort by the most significant digit first. It runs unless an earlier pass found a segment that
// is too long. Fallback passes (if_fallback.wgsl) then sort the keys.

#import status
#constant STATUS  // number of the binding

@group(0) @binding(STATUS) var<storage, read> status: array<u32>;

// Whether the pass must run. If not, it returns immediately.
fn must_run() -> bool {
  return status[0] == FITS;
}
