// Binds the parameters of msd_local.wgsl.

#constant PARAMS  // number of the binding

struct MsdLocalParams {
  key_count: u32,
  segments: u32,
  shift: u32,  // the lowest bit that chooses a bin
  mask: u32,   // one less than the number of bins that the keys can have
  low_bit: u32,    // the lowest bit that is compared; only for keys with values, as the next three
  mask_low: u32,   // the bits that are compared in a segment: in the low word of the compared form
  mask_high: u32,  // and in its high word
  segment_shift: u32,  // the lowest bit of a segment's number, in the topmost word of a stretched key
}

@group(0) @binding(PARAMS) var<uniform> params: MsdLocalParams;
