// The range of keys of two words that the sample of a count pass has: see chunk_sample/range_64.wgsl.

#import key_range/64

var<private> own_range: KeyRange;
