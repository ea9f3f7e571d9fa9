// Whether a sort by the most significant digit first has been given up: because its sample showed that segments will
// not fit (msd_sample.wgsl has set `fits` to 0), or because some key lacks the bits that all samples share.

#constant OUTLIERS  // number of the binding

const MAY_BE_REFUSED = true;

@group(0) @binding(OUTLIERS) var<storage, read> outliers: array<u32>;  // see outliers/

fn is_refused(fits: u32) -> bool {
  return fits == 0u || outliers[0] != 0u;
}
