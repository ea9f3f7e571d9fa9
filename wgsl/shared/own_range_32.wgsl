// The range of keys of one word that the sample of a count pass has: see chunk_sample/range_32.wgsl.

#import key_range/32

var<private> own_range: KeyRange;
