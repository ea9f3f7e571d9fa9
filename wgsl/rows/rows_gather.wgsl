// The last step to move rows: one dispatch copies them to their places in the output, tile by tile of the
// output, so that no invocation walks through a long row. A workgroup owns a tile. It brings the places of the
// tile's rows into workgroup memory, if they fit, and an invocation makes VECTORS vectors of 16 bytes, each
// from the rows to which the bytes belong.

#import bytes
#import grid
#constant WORKGROUP_SIZE
#constant VECTORS       // per invocation
#constant ROOM          // rows in workgroup memory

struct GatherRowParams {
  bytes: u32,  // of the output
  tiles: u32,  // one per workgroup
}

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> sources: array<u32>;
@group(0) @binding(2) var<storage, read> places: array<u32>;      // and the end of the last row
@group(0) @binding(3) var<storage, read> first_rows: array<u32>;  // of each tile, and the last row
@group(0) @binding(4) var<storage, read_write> output: array<vec4u>;
@group(0) @binding(5) var<uniform> params: GatherRowParams;

const TILE_VECTORS = WORKGROUP_SIZE * VECTORS;

var<workgroup> near_sources: array<u32, ROOM>;
var<workgroup> near_places: array<u32, ROOM + 1u>;

// A row, where its bytes are, and where they go.
struct Row {
  number: u32,
  source: u32,
  place: u32,
  end: u32,
}

fn row_at(first: u32, number: u32, is_near: bool) -> Row {
  if is_near {
    return Row(number, near_sources[number], near_places[number], near_places[number + 1u]);
  }
  let i = first + number;
  return Row(number, sources[i], places[i], places[i + 1u]);
}

fn place_at(first: u32, number: u32, is_near: bool) -> u32 {
  if is_near { return near_places[number]; }
  return places[first + number];
}

// The four bytes of the text from a position on.
fn bytes_from(at: u32) -> u32 {
  return shifted_bytes(text[at >> 2u], text[(at >> 2u) + 1u], at);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let tile = linear_workgroup(grid);
  if tile >= params.tiles { return; }
  let first = first_rows[tile];
  let rows = first_rows[tile + 1u] - first + 1u;
  let is_near = rows <= ROOM;
  if is_near {
    for (var i = invocation; i <= rows; i += WORKGROUP_SIZE) {
      near_places[i] = places[first + i];
      if i < rows { near_sources[i] = sources[first + i]; }
    }
  }
  workgroupBarrier();
  for (var k = 0u; k < VECTORS; k++) {
    let number = tile * TILE_VECTORS + k * WORKGROUP_SIZE + invocation;
    let begin = number << 4u;
    if begin >= params.bytes { break; }
    // The last row that begins at `begin` or before.
    var low = 0u;
    var high = rows;
    while high - low > 1u {
      let middle = (low + high) >> 1u;
      if place_at(first, middle, is_near) <= begin { low = middle; } else { high = middle; }
    }
    var row = row_at(first, low, is_near);
    var vector = vec4u();
    for (var word = 0u; word < 4u; word++) {
      let at = begin + (word << 2u);
      if at >= params.bytes { break; }
      if row.end <= at { row = row_at(first, row.number + 1u, is_near); }
      var value = bytes_from(row.source + at - row.place);
      while row.end < at + 4u {
        // The rest of the word belongs to the next row, or to none.
        let own = (row.end - at) << 3u;
        value &= (1u << own) - 1u;
        if row.end >= params.bytes { break; }
        row = row_at(first, row.number + 1u, is_near);
        value |= bytes_from(row.source) << own;
      }
      vector[word] = value;
    }
    output[number] = vector;
  }
}
