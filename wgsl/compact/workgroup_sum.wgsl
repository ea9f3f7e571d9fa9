#if workgroup_sum/known
// Sums over a workgroup, by subgroups of one known size.

#import subgroup/known

fn sum_of_earlier(value: u32, invocation: u32) -> u32 {
  return exclusive_sum(value, invocation);
}

#elif workgroup_sum/plain
// Sums over a workgroup, on any device.

#import workgroup_scan

// Returns the sum of the values of all invocations before this one. All invocations of the workgroup must call
// it. Between two calls there must be a barrier.
fn sum_of_earlier(value: u32, invocation: u32) -> u32 {
  return inclusive_sum(value, invocation) - value;
}

#end
