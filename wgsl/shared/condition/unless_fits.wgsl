// For a fallback pass, which moves keys only if the local sort before it found that the keys of some digit
// value do not fit a tile (radix_local.wgsl). The device decides this itself, so the CPU reads nothing back.

#constant FITS  // number of the binding

@group(0) @binding(FITS) var<storage, read> fits: array<u32>;

// Whether the pass must run. If not, it returns immediately.
fn is_wanted() -> bool {
  return fits[0] == 0u;
}
