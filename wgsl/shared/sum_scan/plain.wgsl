// Exclusive prefix sums over the invocations of a workgroup, on any device (W. D. Hillis and G. L. Steele,
// "Data parallel algorithms", 1986). No sum is subtracted from another, so that f32 keep their order of
// addition, and a NaN or an infinity does not reach the sums before it.

#import summand
#constant WORKGROUP_SIZE

var<workgroup> inclusive_sums: array<Sum, WORKGROUP_SIZE>;

struct Sums {
  before: Sum,  // of the values of all invocations before this one
  all: Sum,     // of the values of all invocations
}

// All invocations of the workgroup must call it. Between two calls there must be a barrier.
fn sums_of(value: Sum, invocation: u32) -> Sums {
  var sum = value;
  inclusive_sums[invocation] = sum;
  workgroupBarrier();
  for (var distance = 1u; distance < WORKGROUP_SIZE; distance *= 2u) {
    if invocation >= distance { sum += inclusive_sums[invocation - distance]; }
    workgroupBarrier();
    inclusive_sums[invocation] = sum;
    workgroupBarrier();
  }
  var sums = Sums(Sum(), inclusive_sums[WORKGROUP_SIZE - 1u]);
  if invocation > 0u { sums.before = inclusive_sums[invocation - 1u]; }
  return sums;
}
