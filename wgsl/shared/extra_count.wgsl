#if extra_count/digit
// Counts a second digit in the same count pass: the lowest digit, by which the first fallback move sorts.
// That move then needs no count pass.

#import key
#import digit
#import radix_pass
#constant WORKGROUP_SIZE
#constant EXTRA       // number of the binding
#constant EXTRA_BITS  // the maximum number of bits of the second digit
#constant EXTRA_MASK  // the second digit's mask

const EXTRA_DIGITS = 1u << EXTRA_BITS;

@group(0) @binding(EXTRA) var<storage, read_write> extra_counts: array<u32>;   // EXTRA_DIGITS per column

var<workgroup> extra_counters: array<atomic<u32>, EXTRA_DIGITS>;

fn clear_extra_count(invocation: u32) {
  for (var d = invocation; d < EXTRA_DIGITS; d += WORKGROUP_SIZE) { atomicStore(&extra_counters[d], 0u); }
}

fn count_extra(ordered: Key) {
  atomicAdd(&extra_counters[digit_at(ordered, params.extra_shift, EXTRA_MASK)], 1u);
}

fn write_extra_count(column: u32, invocation: u32) {
  for (var d = invocation; d < EXTRA_DIGITS; d += WORKGROUP_SIZE) {
    extra_counts[column * EXTRA_DIGITS + d] = atomicLoad(&extra_counters[d]);
  }
}

#else
// Counts no second digit.

#import key

fn clear_extra_count(invocation: u32) {}

fn count_extra(ordered: Key) {}

fn write_extra_count(column: u32, invocation: u32) {}

#end
