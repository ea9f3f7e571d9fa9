#if known_range/bound
// The range of all keys, as msd_sample.wgsl or radix_count.wgsl has found it in a sample.

#import key_range
#constant KEY_RANGE  // number of the binding

@group(0) @binding(KEY_RANGE) var<uniform> key_range: KeyRange;

#elif known_range/own
// The range of the keys of the sample that a count pass takes itself: see chunk_sample/range.wgsl.

#import key_range

var<private> key_range: KeyRange;

#end
