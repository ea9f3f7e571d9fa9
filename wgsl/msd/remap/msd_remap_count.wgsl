// Counts a sample of floats by the regions of their order, if an earlier sample of a sort by the most
// significant digit first showed that segments will not fit. A workgroup counts one part of the sample, and
// writes one row of counts. src/core/sort/msd/msd_remap.ts explains the order of the passes.

#import radix_keys
#import remap_word
#import mix32
#import status
#constant WORKGROUP_SIZE
#constant PARAMS  // number of the binding

struct MsdRemapCountParams {
  key_count: u32,
  samples: u32,     // of all workgroups; a power of two
  row_samples: u32, // of one workgroup
}

@group(0) @binding(1) var<storage, read_write> counts: array<u32>;  // row by row, REGIONS each
@group(0) @binding(PARAMS) var<uniform> params: MsdRemapCountParams;

var<workgroup> counters: array<atomic<u32>, REGIONS>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  if !must_run() { return; }
  let row = workgroup.x;
  for (var i = invocation; i < REGIONS; i += WORKGROUP_SIZE) { atomicStore(&counters[i], 0u); }
  workgroupBarrier();
  for (var i = invocation; i < params.row_samples; i += WORKGROUP_SIZE) {
    let at = sample_place(row * params.row_samples + i, params.samples, params.key_count);
    let place = remap_word(ordered_of(key_at(at)));
    atomicAdd(&counters[place >> (32u - REGION_BITS)], 1u);
  }
  workgroupBarrier();
  for (var i = invocation; i < REGIONS; i += WORKGROUP_SIZE) {
    counts[row * REGIONS + i] = atomicLoad(&counters[i]);
  }
}
