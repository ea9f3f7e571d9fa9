// Binds the topmost bits that all keys share, as msd_sample.wgsl or radix_count.wgsl has found them.

#import shared_bits/64
#constant SHARED_BITS  // number of the binding

@group(0) @binding(SHARED_BITS) var<uniform> shared_bits: SharedBits;
