// The second step to move rows: one dispatch turns their lengths into the positions where they begin in the
// output, and stores for each tile of the output the row to which its first byte belongs. A workgroup owns a
// chunk of rows, and an invocation consecutive ones of it.

#import workgroup_scan
#import grid
#constant WORKGROUP_SIZE
#constant ROWS_PER_INVOCATION
#constant TILE_BYTES

struct PlaceParams {
  count: u32,   // rows
  chunks: u32,  // one per workgroup
  tiles: u32,   // of the output
}

@group(0) @binding(0) var<storage, read> row_starts: array<u32>;      // bytes before each chunk
@group(0) @binding(1) var<storage, read_write> places: array<u32>;    // and the end of the last row
@group(0) @binding(2) var<storage, read_write> first_rows: array<u32>;
@group(0) @binding(3) var<uniform> params: PlaceParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let chunk = linear_workgroup(grid);
  if chunk >= params.chunks { return; }
  let first = min((chunk * WORKGROUP_SIZE + invocation) * ROWS_PER_INVOCATION, params.count);
  let end = min(first + ROWS_PER_INVOCATION, params.count);
  var sum = 0u;
  for (var i = first; i < end; i++) { sum += places[i]; }
  var at = row_starts[chunk] + inclusive_sum(sum, invocation) - sum;
  for (var i = first; i < end; i++) {
    let next = at + places[i];
    places[i] = at;
    for (var tile = (at + TILE_BYTES - 1u) / TILE_BYTES; tile * TILE_BYTES < next; tile++) { first_rows[tile] = i; }
    if i + 1u == params.count {
      places[params.count] = next;
      first_rows[params.tiles] = i;
    }
    at = next;
  }
}
