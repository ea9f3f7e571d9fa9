// The sample of the keys that msd_sample.wgsl takes.

#import key
#import radix_keys
#import mix32
#import sample_place
#constant WORKGROUP_SIZE
#constant SAMPLES  // a power of two, and a multiple of 2 * WORKGROUP_SIZE
#constant PARAMS   // number of the binding

struct MsdSampleParams {
  key_count: u32,
  longest: u32,  // the most samples with the same topmost digit for which the segments are expected to fit
  squares: u32,  // likewise the greatest sum of squares of the numbers of samples in a bin
}

@group(0) @binding(PARAMS) var<uniform> params: MsdSampleParams;

const PER_INVOCATION = SAMPLES / WORKGROUP_SIZE;
// The samples of an invocation that are read first.
const FIRST_ONES = PER_INVOCATION / 2u;

// The samples of an invocation: those with the numbers invocation + i * WORKGROUP_SIZE.
alias SampleKeys = array<Key, PER_INVOCATION>;

// Sample `number`, at a random place. Places in equal steps would miss some of the values of a sorted block,
// where the input has such blocks.
fn sample_at(number: u32) -> Key {
  return ordered_of(key_at(high_product(mix32(number), params.key_count)));
}
