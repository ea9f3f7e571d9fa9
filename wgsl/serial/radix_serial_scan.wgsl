// The scan step of a radix sort's move on software adapters. One dispatch replaces the counts of each row by
// exclusive prefix sums, and writes the total of each row. A row holds the counts of one digit value in all
// chunks. An invocation scans one row from start to end and shares nothing with the others.

#import radix_pass
#constant WORKGROUP_SIZE
#constant DIGIT_BITS

@group(0) @binding(0) var<storage, read_write> counts: array<u32>;   // row by row
@group(0) @binding(1) var<storage, read_write> totals: array<u32>;   // one per row

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u) {
  let digit = global.x;
  if digit >= 1u << DIGIT_BITS { return; }
  let row = digit * params.columns;
  var start = 0u;
  for (var i = row; i < row + params.columns; i++) {
    let count = counts[i];
    counts[i] = start;
    start += count;
  }
  totals[digit] = start;
}
