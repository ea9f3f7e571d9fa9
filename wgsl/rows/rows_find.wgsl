// The last step to find the rows of a text: one dispatch stores the positions at which rows begin. A workgroup
// owns a chunk, and an invocation consecutive vectors of it: it counts their rows, a prefix sum over the
// workgroup gives the number of the first one, and it stores the position after each byte that ends a row. It
// reads its vectors twice; the second time they are in the cache.

#import row_vectors
#import row_ends
#import workgroup_scan
#import grid
#constant WORKGROUP_SIZE
#constant VECTORS

@group(0) @binding(1) var<storage, read> text_counts: array<u32>;   // of rows that end before each chunk
@group(0) @binding(2) var<storage, read_write> starts: array<u32>;  // and the end of the last row

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let chunk = linear_workgroup(grid);
  if chunk >= params.chunks { return; }
  let first = chunk * CHUNK_VECTORS + invocation * VECTORS;
  let within = begins_within(chunk, first, invocation);
  var inside = within;
  var count = 0u;
  for (var k = 0u; k < VECTORS; k++) {
    let ends = row_ends(first + k, inside);
    count += count_marks(ends.marks);
    inside = ends.inside;
  }
  var row = text_counts[chunk] + inclusive_sum(count, invocation) - count + 1u;
  if chunk == 0u && invocation == 0u { starts[0] = 0u; }
  inside = within;
  for (var k = 0u; k < VECTORS; k++) {
    let ends = row_ends(first + k, inside);
    inside = ends.inside;
    for (var word = 0u; word < 4u; word++) {
      var left = ends.marks[word];
      while left != 0u {
        starts[row] = ((first + k) << 4u) + (word << 2u) + (countTrailingZeros(left) >> 3u) + 1u;
        row += 1u;
        left &= left - 1u;
      }
    }
  }
}
