// The items of a tile that a compaction by flags keeps. For the rank of each of them, the tile's elements
// then are its place in the tile.

#import summed_chunks

// Some consecutive items of the output.
struct KeptItems {
  tile: u32,   // where their tile begins in the window of the input
  place: u32,  // of the first one in the bound window of the output: a large number, modulo 2^32, if before it
  count: u32,
}

fn is_bound(place: u32) -> bool {
  return place < params.output_count;
}
