// One dispatch transposes a matrix of keys, stored row by row, of any shape. A workgroup transposes one
// square tile. It reads the tile along rows into workgroup memory and writes it along rows of the output, so
// that neighbouring invocations access neighbouring keys both times. An invocation loads BATCH keys at
// a time.

#import key
#import grid
#import tiles
#constant TILE_SIDE  // keys along a side of a tile
#constant WORKGROUP_SIZE
#constant BATCH      // keys that an invocation loads at a time; BATCH * WORKGROUP_SIZE divides a tile
#constant BAND       // rows of tiles in a band: see tiles.wgsl

struct TransposeParams {
  rows: u32,           // rows of the input
  columns: u32,        // columns of the input
  tiles_per_row: u32,  // tiles per row
  tiles: u32,          // all tiles, including those that fill up the last band
}

@group(0) @binding(0) var<storage, read> input: array<Key>;
@group(0) @binding(1) var<storage, read_write> output: array<Key>;
@group(0) @binding(2) var<uniform> params: TransposeParams;

// It has one column more than the tile, so that the keys of a column are in different memory banks.
var<workgroup> tile: array<array<Key, TILE_SIDE + 1u>, TILE_SIDE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let number = linear_workgroup(grid);
  if number >= params.tiles { return; }
  let place = tile_in_band(number, params.tiles_per_row, BAND);
  let first_row = place.y * TILE_SIDE;
  let first_column = place.x * TILE_SIDE;
  if first_row >= params.rows { return; }
  let last_row = params.rows - 1u;
  let last_column = params.columns - 1u;

  for (var first = invocation; first < TILE_SIDE * TILE_SIDE; first += BATCH * WORKGROUP_SIZE) {
    // Past the edge of the matrix, this loads keys of the last row or column again. Without a branch, all
    // loads can be in flight at the same time.
    var held: array<Key, BATCH>;
    #unroll
    for (var k = 0u; k < BATCH; k++) {
      let slot = first + k * WORKGROUP_SIZE;
      let row = min(first_row + slot / TILE_SIDE, last_row);
      let column = min(first_column + slot % TILE_SIDE, last_column);
      held[k] = input[row * params.columns + column];
    }
    #unroll
    for (var k = 0u; k < BATCH; k++) {
      let slot = first + k * WORKGROUP_SIZE;
      tile[slot / TILE_SIDE][slot % TILE_SIDE] = held[k];
    }
  }
  workgroupBarrier();

  for (var first = invocation; first < TILE_SIDE * TILE_SIDE; first += BATCH * WORKGROUP_SIZE) {
    #unroll
    for (var k = 0u; k < BATCH; k++) {
      let slot = first + k * WORKGROUP_SIZE;
      let row = first_row + slot % TILE_SIDE;
      let column = first_column + slot / TILE_SIDE;
      if row < params.rows && column < params.columns {
        output[column * params.rows + row] = tile[slot % TILE_SIDE][slot / TILE_SIDE];
      }
    }
  }
}
