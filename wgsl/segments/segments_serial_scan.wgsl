// The scan step of the moves of listed chunks on software adapters. One dispatch replaces the counts of each
// digit value by exclusive prefix sums within each segment, and that of a segment's first chunk, which would be
// 0, by the total of the segment. An invocation adds up the counts of one digit value, and shares nothing with
// the others.

#import segments_chunks
#constant WORKGROUP_SIZE
#constant DIGIT_BITS

const DIGITS = 1u << DIGIT_BITS;

@group(0) @binding(0) var<storage, read_write> counts: array<u32>;  // chunk by chunk

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u) {
  let digit = global.x;
  let chunks = listed_chunks();
  if digit >= DIGITS || chunks == 0u { return; }
  var first = 0u;
  var start = 0u;
  for (var chunk = 0u; chunk < chunks; chunk++) {
    let count = counts[chunk * DIGITS + digit];
    if chunk_list.chunks[chunk].first == chunk {
      counts[first * DIGITS + digit] = start;
      first = chunk;
      start = 0u;
    } else {
      counts[chunk * DIGITS + digit] = start;
    }
    start += count;
  }
  counts[first * DIGITS + digit] = start;
}
