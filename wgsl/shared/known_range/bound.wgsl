// The range of all keys, as msd_sample.wgsl or radix_count.wgsl has found it in a sample.

#import key_range
#constant KEY_RANGE  // number of the binding

@group(0) @binding(KEY_RANGE) var<uniform> key_range: KeyRange;
