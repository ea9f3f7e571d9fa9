// An exclusive prefix sum over as many invocations as a digit has values, for subgroups of any size.

#import digit
#import subgroup_scan/any

// Returns the sum of the values of the invocations before this one; the result is valid in the first DIGITS
// invocations. All invocations must call it.
fn sum_before(value: u32, invocation: u32) -> u32 {
  return exclusive_sum(select(0u, value, invocation < DIGITS), invocation);
}
