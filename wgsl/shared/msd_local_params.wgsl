// Binds the parameters of msd_local.wgsl.

#constant PARAMS  // number of the binding

struct MsdLocalParams {
  key_count: u32,
  segments: u32,
  shift: u32,  // the lowest bit that chooses a bin
  mask: u32,   // one less than the number of bins that the keys can have
  low_bit: u32,    // the lowest bit that is compared; only for keys with values
  item_mask: u32,  // has as many bits as those that are compared in a segment; only for keys with values
  chunk: u32,        // keys per chunk; this and the following only if a digit may be counted
  columns: u32,      // chunks
  count_shift: u32,  // the lowest bit of the digit that is counted
}

@group(0) @binding(PARAMS) var<uniform> params: MsdLocalParams;
