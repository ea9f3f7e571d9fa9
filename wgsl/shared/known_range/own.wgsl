// The range of the keys of the sample that a count pass takes itself: see chunk_sample/range.wgsl.

#import key_range
#family msd

var<private> key_range: KeyRange;
