// An inclusive prefix sum over the invocations of a workgroup (W. D. Hillis and G. L. Steele, "Data parallel
// algorithms", 1986).

#constant WORKGROUP_SIZE

var<workgroup> scan_sums: array<u32, WORKGROUP_SIZE>;

// Returns the sum of the values of this invocation and all invocations before it. All invocations of the
// workgroup must call it. Between two calls there must be a barrier.
fn inclusive_sum(value: u32, invocation: u32) -> u32 {
  var sum = value;
  scan_sums[invocation] = sum;
  workgroupBarrier();
  for (var distance = 1u; distance < WORKGROUP_SIZE; distance *= 2u) {
    if invocation >= distance { sum += scan_sums[invocation - distance]; }
    workgroupBarrier();
    scan_sums[invocation] = sum;
    workgroupBarrier();
  }
  return sum;
}
