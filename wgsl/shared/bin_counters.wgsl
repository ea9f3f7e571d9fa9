#if bin_counters/memory
// The bins are too many for workgroup memory. Each addition goes to the result.

#import histogram_bins

fn clear_counters(invocation: u32) {}

fn add_to_bin(bin: u32, times: u32) {
  atomicAdd(&bin_counts[bin], times);
}

fn add_counters(bins: u32, invocation: u32) {}

#elif bin_counters/workgroup
// Each workgroup has a counter for every bin in its own memory, and adds them to the result at the end.

#import histogram_bins
#constant WORKGROUP_SIZE
#constant COUNTERS  // at least as many as there are bins

var<workgroup> counters: array<atomic<u32>, COUNTERS>;

// Before the first addition, and a barrier must follow.
fn clear_counters(invocation: u32) {
  for (var bin = invocation; bin < COUNTERS; bin += WORKGROUP_SIZE) { atomicStore(&counters[bin], 0u); }
}

fn add_to_bin(bin: u32, times: u32) {
  atomicAdd(&counters[bin], times);
}

// After the last addition and a barrier.
fn add_counters(bins: u32, invocation: u32) {
  for (var bin = invocation; bin < bins; bin += WORKGROUP_SIZE) {
    let counted = atomicLoad(&counters[bin]);
    if counted != 0u { atomicAdd(&bin_counts[bin], counted); }
  }
}

#end
