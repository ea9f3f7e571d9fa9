// The comparators of a bitonic network that fall inside one workgroup's tile. src/sort/bitonic.ts says how
// the network is cut into tiles; src/twins/bitonic_local.ts is the same kernel in TypeScript.
//
// Uses key32 or key64, its order, and grid. Constants: WORKGROUP_SIZE (invocations), TILE_BITS.

struct Params {
  key_count: u32,     // keys to sort, n
  shift: u32,         // the layout: a column's number is the key's index >> shift, its row the low bits
  window_end: u32,    // index bits shift … window_end - 1 are this pass's
  rows: u32,          // 2^shift
  columns: u32,       // keys a row, slack included
  column_bits: u32,   // the tile covers 2^column_bits columns of 2^(TILE_BITS - column_bits) rows
  tiles_a_row: u32,
  tiles: u32,
  first_level: u32,   // level L merges bitonic runs of 2^(L-1) keys into runs of 2^L
  last_level: u32,
}

@group(0) @binding(0) var<storage, read_write> keys: array<Key>;
@group(0) @binding(1) var<uniform> params: Params;

const TILE = 1u << TILE_BITS;

var<workgroup> tile: array<Key, TILE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let number = linear_workgroup(workgroup, grid);
  if number >= params.tiles { return; }

  let column_mask = (1u << params.column_bits) - 1u;
  let first_row = (number / params.tiles_a_row) << (TILE_BITS - params.column_bits);
  let first_column = (number % params.tiles_a_row) << params.column_bits;

  for (var slot = invocation; slot < TILE; slot += WORKGROUP_SIZE) {
    let row = first_row + (slot >> params.column_bits);
    let column = first_column + (slot & column_mask);
    if row < params.rows && column < params.columns {
      tile[slot] = to_ordered(keys[row * params.columns + column]);
    }
  }
  workgroupBarrier();

  let last = params.key_count - 1u;
  for (var level = params.first_level; level <= params.last_level; level++) {
    for (var bit = min(level, params.window_end); bit > params.shift; bit--) {
      let stride = 1u << (bit - 1u - params.shift);
      for (var pair = invocation; pair < TILE / 2u; pair += WORKGROUP_SIZE) {
        let low = ((pair & ~(stride - 1u)) << 1u) | (pair & (stride - 1u));
        let high = low | stride;
        let index = ((first_column + (low & column_mask)) << params.shift)
          | (first_row + (low >> params.column_bits));
        // A partner at or past n is a virtual largest key. It stays where it is, because the run that holds
        // the last key always ascends: direction is counted back from there.
        if index + (1u << (bit - 1u)) <= last {
          let descending = (((index ^ last) >> level) & 1u) == 1u;
          let a = tile[low];
          let b = tile[high];
          if precedes(b, a) != descending {
            tile[low] = b;
            tile[high] = a;
          }
        }
      }
      workgroupBarrier();
    }
  }

  for (var slot = invocation; slot < TILE; slot += WORKGROUP_SIZE) {
    let row = first_row + (slot >> params.column_bits);
    let column = first_column + (slot & column_mask);
    if row < params.rows && column < params.columns {
      keys[row * params.columns + column] = from_ordered(tile[slot]);
    }
  }
}
