// Sums over a workgroup, by subgroups of one known size.

#import subgroup_scan/known

fn sum_of_earlier(value: u32, invocation: u32) -> u32 {
  return exclusive_sum(value, invocation);
}
