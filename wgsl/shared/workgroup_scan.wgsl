// A sum over a workgroup's invocations (W. D. Hillis and G. L. Steele, "Data parallel algorithms", 1986). Needs the
// constant WORKGROUP_SIZE.

var<workgroup> scan_sums: array<u32, WORKGROUP_SIZE>;

// The sum of the values of the invocations up to this one, itself included. All must call it, after a barrier if they
// have called it before.
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
