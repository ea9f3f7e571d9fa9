// The items of a tile that a compaction by flags keeps.

#import summed_chunks
#constant WORKGROUP_SIZE
#constant ITEMS_PER_INVOCATION

const TILE = WORKGROUP_SIZE * ITEMS_PER_INVOCATION;

// First whether each item is kept; then, for each rank, the place in the tile of the item that is kept.
var<workgroup> tile_slots: array<u32, TILE>;

// Some consecutive items of the output.
struct KeptItems {
  tile: u32,   // where their tile begins in the window of the input
  place: u32,  // of the first one in the bound window of the output: a large number, modulo 2^32, if before it
  count: u32,
}

fn is_bound(place: u32) -> bool {
  return place < params.output_count;
}
