// Clears the counts that the next pass will make while it moves the keys: see counts_next. Needs the constant NEXT, the
// binding.

@group(0) @binding(NEXT) var<storage, read_write> cleared: array<u32>;   // DIGITS a column

fn clear_counts(column: u32, invocation: u32) {
  if invocation < DIGITS { cleared[column * DIGITS + invocation] = 0u; }
}
