// The scan of counts that lie row by row. A workgroup scans a row, and each of its invocations a piece.

#import workgroup_scan
#constant WORKGROUP_SIZE

@group(0) @binding(0) var<storage, read_write> counts: array<u32>;

// Replaces the `length` counts from `row` on by their exclusive prefix sums. Returns their sum in the last
// invocation. All invocations of the workgroup must call it. Between two calls there must be a barrier.
fn scan_row(row: u32, length: u32, invocation: u32) -> u32 {
  let piece = (length + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
  let begin = min(invocation * piece, length);
  let end = min(begin + piece, length);
  var sum = 0u;
  for (var i = begin; i < end; i++) { sum += counts[row + i]; }
  let inclusive = inclusive_sum(sum, invocation);
  var start = inclusive - sum;
  for (var i = begin; i < end; i++) {
    let count = counts[row + i];
    counts[row + i] = start;
    start += count;
  }
  return inclusive;
}
