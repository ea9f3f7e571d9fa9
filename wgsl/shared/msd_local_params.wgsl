// Binds the parameters of msd_local.wgsl.

#constant PARAMS  // number of the binding

struct MsdLocalParams {
  key_count: u32,
  segments: u32,
  shift: u32,  // the lowest bit that chooses a bin
  mask: u32,   // one less than the number of bins that the keys can have
}

@group(0) @binding(PARAMS) var<uniform> params: MsdLocalParams;
