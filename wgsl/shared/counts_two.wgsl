// Counts a second digit beside the first: that of the first of the passes that follow only if the device finds them
// needed, whose dispatch is then done already. Clears the counts that this pass will make while it moves keys (see
// counts_next). Needs a key, digit, the kernel's `params`, and the constants ALSO, the first of the two bindings, and
// ALSO_MASK, of the digit.

@group(0) @binding(ALSO) var<storage, read_write> also_counts: array<u32>;    // DIGITS a column
@group(0) @binding(ALSO + 1u) var<storage, read_write> cleared: array<u32>;   // DIGITS a column

var<workgroup> also_counters: array<atomic<u32>, DIGITS>;

fn clear_also(column: u32, invocation: u32) {
  if invocation >= DIGITS { return; }
  atomicStore(&also_counters[invocation], 0u);
  cleared[column * DIGITS + invocation] = 0u;
}

fn count_also(image: Key) {
  atomicAdd(&also_counters[digit_at(image, params.next_shift, ALSO_MASK)], 1u);
}

fn write_also(column: u32, invocation: u32) {
  if invocation < DIGITS { also_counts[column * DIGITS + invocation] = atomicLoad(&also_counters[invocation]); }
}
