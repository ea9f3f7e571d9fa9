// The scan step of the moves of listed chunks on software adapters. One dispatch replaces the counts of each
// row by exclusive prefix sums within each segment, and that of a segment's first chunk, which would be 0, by
// the total of the segment. An invocation scans one row from start to end and shares nothing with the others.

#import radix_pass
#import segments_chunks
#constant WORKGROUP_SIZE
#constant DIGIT_BITS

@group(0) @binding(0) var<storage, read_write> counts: array<u32>;   // row by row

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u) {
  let digit = global.x;
  let chunks = listed_chunks();
  if digit >= 1u << DIGIT_BITS || chunks == 0u { return; }
  let row = digit * params.columns;
  var first = 0u;
  var start = 0u;
  for (var chunk = 0u; chunk < chunks; chunk++) {
    let count = counts[row + chunk];
    if chunk_list.chunks[chunk].first == chunk {
      counts[row + first] = start;
      first = chunk;
      start = 0u;
    } else {
      counts[row + chunk] = start;
    }
    start += count;
  }
  counts[row + first] = start;
}
