// The first step to find rows whose fields may be in quotes: one dispatch counts the quotes in each chunk of
// the text, so that a scan can tell which chunks begin within quotes. A workgroup counts one chunk.

#import row_vectors
#import bytes
#import grid
#constant WORKGROUP_SIZE
#constant VECTORS

@group(0) @binding(1) var<storage, read_write> quote_counts: array<u32>;  // one per chunk

var<workgroup> quotes_in_chunk: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let chunk = linear_workgroup(grid);
  if chunk >= params.chunks { return; }
  if invocation == 0u { atomicStore(&quotes_in_chunk, 0u); }
  workgroupBarrier();
  var count = 0u;
  for (var k = 0u; k < VECTORS; k++) {
    count += count_marks(vector_marks(chunk * CHUNK_VECTORS + k * WORKGROUP_SIZE + invocation, QUOTE));
  }
  atomicAdd(&quotes_in_chunk, count);
  workgroupBarrier();
  if invocation == 0u { quote_counts[chunk] = atomicLoad(&quotes_in_chunk); }
}
