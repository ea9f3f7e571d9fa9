// A pass that only runs where an earlier one found that the short way does not do: the device decides, and nobody reads
// back. Needs the constant FITS, its binding; see radix_local.wgsl.

@group(0) @binding(FITS) var<storage, read> fits: array<u32>;

fn is_wanted() -> bool {
  return fits[0] == 0u;
}
