// Transposes a matrix of keys through workgroup memory, so that both the read and the write of global memory
// run along rows. src/sort/transpose.ts plans it; src/twins/transpose.ts is its twin.
//
// Uses key32 or key64, and grid. Constants: TILE_SIDE (keys), WORKGROUP_SIZE (invocations), BATCH (keys that an
// invocation loads before it waits for the first; WORKGROUP_SIZE * BATCH divides TILE_SIDE squared), BAND.

struct Params {
  rows: u32,      // of the input; the output has them as columns
  columns: u32,
  tiles_a_row: u32,
  tiles: u32,     // with those that fill up the last band
}

@group(0) @binding(0) var<storage, read> input: array<Key>;
@group(0) @binding(1) var<storage, read_write> output: array<Key>;
@group(0) @binding(2) var<uniform> params: Params;

// One column more than the tile has, so that a column of it falls into different banks.
var<workgroup> tile: array<array<Key, TILE_SIDE + 1u>, TILE_SIDE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let number = linear_workgroup(workgroup, grid);
  if number >= params.tiles { return; }
  let place = tile_in_band(number, params.tiles_a_row, BAND);
  let first_row = place.y * TILE_SIDE;
  let first_column = place.x * TILE_SIDE;
  if first_row >= params.rows { return; }
  let last_row = params.rows - 1u;
  let last_column = params.columns - 1u;

  for (var first = invocation; first < TILE_SIDE * TILE_SIDE; first += BATCH * WORKGROUP_SIZE) {
    // Past the matrix's edge its last key is loaded again: a load that is not skipped can be waited for later.
    var held: array<Key, BATCH>;
    for (var k = 0u; k < BATCH; k++) { // unroll
      let slot = first + k * WORKGROUP_SIZE;
      let row = min(first_row + slot / TILE_SIDE, last_row);
      let column = min(first_column + slot % TILE_SIDE, last_column);
      held[k] = input[row * params.columns + column];
    }
    for (var k = 0u; k < BATCH; k++) { // unroll
      let slot = first + k * WORKGROUP_SIZE;
      tile[slot / TILE_SIDE][slot % TILE_SIDE] = held[k];
    }
  }
  workgroupBarrier();

  for (var first = invocation; first < TILE_SIDE * TILE_SIDE; first += BATCH * WORKGROUP_SIZE) {
    for (var k = 0u; k < BATCH; k++) { // unroll
      let slot = first + k * WORKGROUP_SIZE;
      let row = first_row + slot % TILE_SIDE;
      let column = first_column + slot / TILE_SIDE;
      if row < params.rows && column < params.columns {
        output[column * params.rows + row] = tile[slot % TILE_SIDE][slot / TILE_SIDE];
      }
    }
  }
}
