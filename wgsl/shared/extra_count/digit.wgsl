// Counts a second digit in the same count pass: the lowest digit, by which the first fallback move sorts.
// That move then needs no count pass. Also clears the counts that the first fallback move adds to
// (next_count/digit.wgsl).

#import key
#import digit
#import radix_pass
#constant EXTRA       // number of the first of two bindings
#constant EXTRA_MASK  // the second digit's mask

@group(0) @binding(EXTRA) var<storage, read_write> extra_counts: array<u32>;   // DIGITS per column
@group(0) @binding(EXTRA + 1u) var<storage, read_write> cleared: array<u32>;   // DIGITS per column

var<workgroup> extra_counters: array<atomic<u32>, DIGITS>;

fn clear_extra_count(column: u32, invocation: u32) {
  if invocation >= DIGITS { return; }
  atomicStore(&extra_counters[invocation], 0u);
  cleared[column * DIGITS + invocation] = 0u;
}

fn count_extra(ordered: Key) {
  atomicAdd(&extra_counters[digit_at(ordered, params.next_shift, EXTRA_MASK)], 1u);
}

fn write_extra_count(column: u32, invocation: u32) {
  if invocation < DIGITS {
    extra_counts[column * DIGITS + invocation] = atomicLoad(&extra_counters[invocation]);
  }
}
