#if condition/if_fallback
// For a fallback pass, which runs only if an earlier pass found that the keys of some digit value do not fit a
// tile. The device decides this itself, so the CPU reads nothing back.

#import status
#constant STATUS  // number of the binding

@group(0) @binding(STATUS) var<storage, read> status: array<u32>;

// Whether the pass must run. If not, it returns immediately.
fn must_run() -> bool {
  return status[0] == FALLBACK;
}

#elif condition/if_fits
// For a pass of a sort by the most significant digit first. It runs unless an earlier pass found a segment that
// is too long. Fallback passes (if_fallback.wgsl) then sort the keys.

#import status
#constant STATUS  // number of the binding

@group(0) @binding(STATUS) var<storage, read> status: array<u32>;

// Whether the pass must run. If not, it returns immediately.
fn must_run() -> bool {
  return status[0] == FITS;
}

#elif condition/if_remapped
// For a pass of a sort by the most significant digit first that remaps floats. It runs if
// msd_remap_plan.wgsl has made the table, unless an earlier pass found a segment that is too long.

#import status
#constant STATUS  // number of the binding

@group(0) @binding(STATUS) var<storage, read> status: array<u32>;

// Whether the pass must run. If not, it returns immediately.
fn must_run() -> bool {
  return status[0] == REMAPPED;
}

#else
// For a pass that always runs.

fn must_run() -> bool {
  return true;
}

#end
