// The first step to find the rows of a text, or the second one where fields may be in quotes: one dispatch
// counts the bytes that end rows, in each chunk. A workgroup counts one chunk, and an invocation consecutive
// vectors of it. It also says whether a quote is misplaced: then rows may be told apart wrongly.

#import row_vectors
#import row_ends
#import grid
#constant WORKGROUP_SIZE
#constant VECTORS

@group(0) @binding(1) var<storage, read_write> text_counts: array<u32>;             // one per chunk
@group(0) @binding(2) var<storage, read_write> misplaced_quotes: array<atomic<u32>>;  // [0]: 1 if there is one

var<workgroup> rows_in_chunk: atomic<u32>;
var<workgroup> misplaced_in_chunk: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let chunk = linear_workgroup(grid);
  if chunk >= params.chunks { return; }
  if invocation == 0u {
    atomicStore(&rows_in_chunk, 0u);
    atomicStore(&misplaced_in_chunk, 0u);
  }
  workgroupBarrier();
  let first = chunk * CHUNK_VECTORS + invocation * VECTORS;
  var inside = begins_within(chunk, first, invocation);
  var count = 0u;
  var misplaced = false;
  for (var k = 0u; k < VECTORS; k++) {
    let ends = row_ends(first + k, inside);
    count += count_marks(ends.marks);
    inside = ends.inside;
    misplaced = misplaced || ends.misplaced;
  }
  atomicAdd(&rows_in_chunk, count);
  if misplaced { atomicStore(&misplaced_in_chunk, 1u); }
  workgroupBarrier();
  if invocation == 0u {
    text_counts[chunk] = atomicLoad(&rows_in_chunk);
    if atomicLoad(&misplaced_in_chunk) == 1u { atomicStore(&misplaced_quotes[0], 1u); }
  }
}
