#if chunk_sample/range
// Before a workgroup counts, it takes a sample of all keys, and finds their range. All workgroups sample the
// same keys, so they find the same range, and no pass must go before. The first one writes the range for later
// passes. A key outside of it is an outlier (outliers/marked.wgsl).

#import order
#import radix_pass
#import radix_keys
#import sample_place
#import sample_range
#import key_range
#import known_range/own
#constant WORKGROUP_SIZE
#constant SAMPLED        // keys of the sample; a power of two, 2 or more
#constant MARGIN_BITS    // see `range_between`
#constant STRETCHES      // 1 to stretch keys so that they use all values of the digit; else 0
#constant SAMPLED_RANGE  // number of the binding

@group(0) @binding(SAMPLED_RANGE) var<storage, read_write> written_range: KeyRange;

// All invocations must call it.
fn sample_first(column: u32, invocation: u32) {
  let first = ordered_of(key_at(sample_place(invocation % SAMPLED, SAMPLED, params.key_count)));
  var own = Extremes(first, first);
  for (var i = invocation + WORKGROUP_SIZE; i < SAMPLED; i += WORKGROUP_SIZE) {
    let key = ordered_of(key_at(sample_place(i, SAMPLED, params.key_count)));
    own = Extremes(first_of(own.least, key), last_of(own.most, key));
  }
  let all = workgroup_extremes(own, invocation);
  key_range = range_between(all.least, all.most, MARGIN_BITS);
  // Equal samples do not tell where other keys are.
  if !precedes(all.least, all.most) { key_range = ALL_KEYS; }
  key_range.stretch *= STRETCHES;
  if column == 0u && invocation == 0u { written_range = key_range; }
}

#else
// For a count pass that takes no sample, or of which another pass has taken one.

fn sample_first(column: u32, invocation: u32) {
}

#end
