// The second step of a histogram: one dispatch adds the keys of a window to the bins. A range of a key's bits
// is the number of its bin; keys whose number is not less than the number of bins are not counted. An
// invocation counts every stride-th key.

#import key_total
#constant WORKGROUP_SIZE
#constant LOADS   // loads in flight, which hide the memory's latency
#constant PARAMS  // number of the binding

// The result.
@group(0) @binding(1) var<storage, read_write> bin_counts: array<atomic<u32>>;   // one per bin

#if bin_counters/memory
// The bins are too many for workgroup memory. Each addition goes to the result.

fn clear_counters(invocation: u32) {}

fn add_to_bin(bin: u32, times: u32) {
  atomicAdd(&bin_counts[bin], times);
}

fn add_counters(bins: u32, invocation: u32) {}
#elif bin_counters/workgroup
// Each workgroup has a counter for every bin in its own memory, and adds them to the result at the end.

#constant COUNTERS  // at least as many as there are bins

var<workgroup> counters: array<atomic<u32>, COUNTERS>;

// Must be called before the first addition; a barrier must follow.
fn clear_counters(invocation: u32) {
  for (var bin = invocation; bin < COUNTERS; bin += WORKGROUP_SIZE) { atomicStore(&counters[bin], 0u); }
}

fn add_to_bin(bin: u32, times: u32) {
  atomicAdd(&counters[bin], times);
}

// Must be called after the last addition and a barrier.
fn add_counters(bins: u32, invocation: u32) {
  for (var bin = invocation; bin < bins; bin += WORKGROUP_SIZE) {
    let counted = atomicLoad(&counters[bin]);
    if counted != 0u { atomicAdd(&bin_counts[bin], counted); }
  }
}
#end

struct HistogramParams {
  begin: u32,      // keys before the window
  key_count: u32,  // keys in the window, at most
  stride: u32,     // invocations in the whole grid
  shift: u32,      // the lowest bit of a bin's number in its keys
  mask: u32,       // the highest number that these bits can be
  bins: u32,
  count_at: u32,   // the word of the count that the device knows
}

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(PARAMS) var<uniform> params: HistogramParams;

fn bin_of(key: u32) -> u32 {
  return (key >> params.shift) & params.mask;
}

fn add(bin: u32, times: u32) {
  if bin < params.bins { add_to_bin(bin, times); }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u, @builtin(local_invocation_index) invocation: u32) {
  clear_counters(invocation);
  workgroupBarrier();
  let end = max(key_total(params.begin + params.key_count, params.count_at), params.begin) - params.begin;
  var i = global.x;
  for (; i + (LOADS - 1u) * params.stride < end; i += LOADS * params.stride) {
    var bins: array<u32, LOADS>;
    #unroll
    for (var k = 0u; k < LOADS; k++) {
      bins[k] = bin_of(keys[i + k * params.stride]);
    }
    // Equal bins are added at once: additions to one counter wait for each other.
    var bin = bins[0];
    var times = 1u;
    for (var k = 1u; k < LOADS; k++) {
      if bins[k] != bin {
        add(bin, times);
        bin = bins[k];
        times = 0u;
      }
      times += 1u;
    }
    add(bin, times);
  }
  for (; i < end; i += params.stride) { add(bin_of(keys[i]), 1u); }
  workgroupBarrier();
  add_counters(params.bins, invocation);
}
