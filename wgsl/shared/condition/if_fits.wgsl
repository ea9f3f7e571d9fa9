// For a pass of a sort by the most significant digit first. It runs unless an earlier pass found a segment that
// is too long. Fallback passes (unless_fits.wgsl) then sort the keys.

#constant FITS  // number of the binding

@group(0) @binding(FITS) var<storage, read> fits: array<u32>;

// Whether the pass must run. If not, it returns immediately.
fn is_wanted() -> bool {
  return fits[0] == 1u;
}
