// Counts samples in bins of segments or of values, to estimate how evenly keys are spread over these. Not all
// samples need be counted.

#import mix32
#constant WORKGROUP_SIZE
#constant SAMPLES   // a power of two, and a multiple of WORKGROUP_SIZE; there are as many bins

// The samples in each bin. A word holds two counters of 16 bits.
var<workgroup> bins: array<atomic<u32>, SAMPLES / 2u>;

// A barrier must follow.
fn clear_bins(invocation: u32) {
  for (var i = invocation; i < SAMPLES / 2u; i += WORKGROUP_SIZE) { atomicStore(&bins[i], 0u); }
}

// Adds a sample, whose bin the topmost `bits` bits of `top` choose, from 1 to 32.
fn add_to_bin(top: u32, bits: u32) {
  let bin = mix32(top >> (32u - bits)) % SAMPLES;
  atomicAdd(&bins[bin / 2u], 1u << (16u * (bin % 2u)));
}

// The sum of the squares of the numbers of samples in the invocation's share of the bins, after a barrier.
fn squares_of_bins(invocation: u32) -> u32 {
  var sum = 0u;
  for (var i = invocation; i < SAMPLES / 2u; i += WORKGROUP_SIZE) {
    let pair = atomicLoad(&bins[i]);
    sum += (pair & 0xffffu) * (pair & 0xffffu) + (pair >> 16u) * (pair >> 16u);
  }
  return sum;
}
