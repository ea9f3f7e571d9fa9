// The first step to move rows: one dispatch finds, for each place of the order, where its row is and how long
// it is, and adds up the lengths of each chunk. A workgroup owns a chunk.

#import grid
#constant WORKGROUP_SIZE
#constant ROWS_PER_INVOCATION

struct MeasureParams {
  count: u32,   // rows
  chunks: u32,  // one per workgroup
}

@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read> permutation: array<u32>;
@group(0) @binding(2) var<storage, read_write> sources: array<u32>;
@group(0) @binding(3) var<storage, read_write> places: array<u32>;      // the lengths, as yet
@group(0) @binding(4) var<storage, read_write> row_counts: array<u32>;  // bytes of each chunk
@group(0) @binding(5) var<uniform> params: MeasureParams;

var<workgroup> bytes: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let chunk = linear_workgroup(grid);
  if chunk >= params.chunks { return; }
  if invocation == 0u { atomicStore(&bytes, 0u); }
  workgroupBarrier();
  let begin = chunk * WORKGROUP_SIZE * ROWS_PER_INVOCATION;
  let end = min(begin + WORKGROUP_SIZE * ROWS_PER_INVOCATION, params.count);
  var sum = 0u;
  for (var place = begin + invocation; place < end; place += WORKGROUP_SIZE) {
    let row = permutation[place];
    let source = starts[row];
    let length = starts[row + 1u] - source;
    sources[place] = source;
    places[place] = length;
    sum += length;
  }
  atomicAdd(&bytes, sum);
  workgroupBarrier();
  if invocation == 0u { row_counts[chunk] = atomicLoad(&bytes); }
}
