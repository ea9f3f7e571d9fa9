// One dispatch transposes a matrix of 32-bit keys whose sides are multiples of 4. An invocation loads a block
// of 4 x 4 keys as four row vectors and transposes it in registers into four column vectors. With EXCHANGE 0,
// it stores these vectors itself, which needs no barrier. With EXCHANGE 1, the invocations of a workgroup
// exchange vectors through workgroup memory before they store them: a workgroup of 256 reads and writes a
// tile of 64 x 64 keys in rows of 256 bytes.

#import grid
#import tiles
#constant BLOCKS_X  // blocks per row of a tile; 16 with EXCHANGE 1
#constant BLOCKS_Y  // blocks per column of a tile; 16 with EXCHANGE 1
#constant EXCHANGE  // 0 or 1
#constant BAND      // rows of tiles in a band: see tiles.wgsl

struct BlockParams {
  row_quads: u32,      // rows of the input / 4
  column_quads: u32,   // columns of the input / 4
  tiles_per_row: u32,  // tiles per row
  tiles: u32,          // all tiles, including those that fill up the last band
}

@group(0) @binding(0) var<storage, read> input: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4u>;
@group(0) @binding(2) var<uniform> params: BlockParams;

const EXCHANGED = EXCHANGE * 4u * BLOCKS_X * BLOCKS_Y + (1u - EXCHANGE);

var<workgroup> exchanged: array<vec4u, EXCHANGED>;

// The place in `exchanged` of the vector that holds a tile's column in a quad of rows. Workgroup memory serves
// eight invocations at a time. When they store, each has a vector of another block; when they load, each has
// another vector of one column. The places are chosen so that both use all memory banks.
fn place(column: u32, row_quad: u32) -> u32 {
  return column * BLOCKS_Y + (row_quad ^ (column / 4u));
}

@compute @workgroup_size(BLOCKS_X * BLOCKS_Y)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let number = linear_workgroup(grid);
  if number >= params.tiles { return; }
  let tile = tile_in_band(number, params.tiles_per_row, BAND);
  if tile.y * BLOCKS_Y >= params.row_quads { return; }

  let x = invocation % BLOCKS_X;
  let y = invocation / BLOCKS_X;
  let column_quad = tile.x * BLOCKS_X + x;
  let row_quad = tile.y * BLOCKS_Y + y;
  if column_quad < params.column_quads && row_quad < params.row_quads {
    let start = 4u * row_quad * params.column_quads + column_quad;
    let r0 = input[start];
    let r1 = input[start + params.column_quads];
    let r2 = input[start + 2u * params.column_quads];
    let r3 = input[start + 3u * params.column_quads];
    let c0 = vec4u(r0.x, r1.x, r2.x, r3.x);
    let c1 = vec4u(r0.y, r1.y, r2.y, r3.y);
    let c2 = vec4u(r0.z, r1.z, r2.z, r3.z);
    let c3 = vec4u(r0.w, r1.w, r2.w, r3.w);
    if EXCHANGE == 1u {
      exchanged[place(4u * x, y)] = c0;
      exchanged[place(4u * x + 1u, y)] = c1;
      exchanged[place(4u * x + 2u, y)] = c2;
      exchanged[place(4u * x + 3u, y)] = c3;
    } else {
      let to = 4u * column_quad * params.row_quads + row_quad;
      output[to] = c0;
      output[to + params.row_quads] = c1;
      output[to + 2u * params.row_quads] = c2;
      output[to + 3u * params.row_quads] = c3;
    }
  }
  if EXCHANGE == 1u {
    workgroupBarrier();
    // From here on, x is a quad of rows, and y is a column within a quarter of the tile's columns.
    let to_quad = tile.y * BLOCKS_Y + x;
    for (var k = 0u; k < 4u; k++) {
      let in_tile = k * BLOCKS_X + y;
      let column = 4u * tile.x * BLOCKS_X + in_tile;
      if column < 4u * params.column_quads && to_quad < params.row_quads {
        output[column * params.row_quads + to_quad] = exchanged[place(in_tile, x)];
      }
    }
  }
}
