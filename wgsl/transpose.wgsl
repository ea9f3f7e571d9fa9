// Transposes a matrix of keys through workgroup memory, so that both the read and the write of global memory
// run along rows. src/sort/transpose.ts plans it; src/twins/transpose.ts is its twin.
//
// Uses key32 or key64, and grid. Constants: TILE_SIDE (keys), WIDTH and HEIGHT (invocations).

struct Params {
  rows: u32,      // of the input; the output has them as columns
  columns: u32,
  tiles_a_row: u32,
  tiles: u32,
}

@group(0) @binding(0) var<storage, read> input: array<Key>;
@group(0) @binding(1) var<storage, read_write> output: array<Key>;
@group(0) @binding(2) var<uniform> params: Params;

// One column more than the tile has, so that a column of it falls into different banks.
var<workgroup> tile: array<array<Key, TILE_SIDE + 1u>, TILE_SIDE>;

@compute @workgroup_size(WIDTH, HEIGHT)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_id) local: vec3u,
) {
  let number = linear_workgroup(workgroup, grid);
  if number >= params.tiles { return; }
  let first_row = (number / params.tiles_a_row) * TILE_SIDE;
  let first_column = (number % params.tiles_a_row) * TILE_SIDE;

  for (var y = local.y; y < TILE_SIDE; y += HEIGHT) {
    for (var x = local.x; x < TILE_SIDE; x += WIDTH) {
      let row = first_row + y;
      let column = first_column + x;
      if row < params.rows && column < params.columns {
        tile[y][x] = input[row * params.columns + column];
      }
    }
  }
  workgroupBarrier();

  for (var y = local.y; y < TILE_SIDE; y += HEIGHT) {
    for (var x = local.x; x < TILE_SIDE; x += WIDTH) {
      let row = first_row + x;
      let column = first_column + y;
      if row < params.rows && column < params.columns {
        output[column * params.rows + row] = tile[x][y];
      }
    }
  }
}
