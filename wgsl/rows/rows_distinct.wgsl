// One dispatch counts the rows of a sorted text that differ from the one before by their keys, and their
// bytes, in each chunk, and adds up their hashes. A workgroup owns a chunk. Another kernel has compared the
// rows.

#import row_text
#import row_hash
#import row_totals
#import grid
#constant WORKGROUP_SIZE
#constant ROWS_PER_INVOCATION

struct DistinctRowParams {
  count: u32,   // rows
  chunks: u32,  // one per workgroup
}

@group(0) @binding(2) var<storage, read> is_distinct: array<u32>;            // 1 or 0 for each row
@group(0) @binding(3) var<storage, read_write> counts_by_chunk: array<u32>;  // rows of each chunk, then bytes
@group(0) @binding(4) var<storage, read_write> totals: RowTotals;
@group(0) @binding(5) var<uniform> params: DistinctRowParams;

const CHUNK_ROWS = WORKGROUP_SIZE * ROWS_PER_INVOCATION;

var<workgroup> rows: atomic<u32>;
var<workgroup> row_bytes: atomic<u32>;
var<workgroup> sum_a: atomic<u32>;
var<workgroup> sum_b: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let chunk = linear_workgroup(grid);
  if chunk >= params.chunks { return; }
  if invocation == 0u {
    atomicStore(&rows, 0u);
    atomicStore(&row_bytes, 0u);
    atomicStore(&sum_a, 0u);
    atomicStore(&sum_b, 0u);
  }
  workgroupBarrier();
  let last = min((chunk + 1u) * CHUNK_ROWS, params.count);
  for (var row = chunk * CHUNK_ROWS + invocation; row < last; row += WORKGROUP_SIZE) {
    if is_distinct[row] == 0u { continue; }
    let begin = starts[row];
    let next = starts[row + 1u];
    var hash = begun_hash(next - begin);
    for (var at = begin; at < next; at += 4u) { hash = hash_with(hash, bytes_at(at) & first_bytes(next - at)); }
    atomicAdd(&rows, 1u);
    atomicAdd(&row_bytes, next - begin);
    atomicAdd(&sum_a, hash.x);
    atomicAdd(&sum_b, hash.y);
  }
  workgroupBarrier();
  if invocation == 0u {
    counts_by_chunk[chunk] = atomicLoad(&rows);
    counts_by_chunk[params.chunks + chunk] = atomicLoad(&row_bytes);
    atomicAdd(&totals.sum_a, atomicLoad(&sum_a));
    atomicAdd(&totals.sum_b, atomicLoad(&sum_b));
  }
}
