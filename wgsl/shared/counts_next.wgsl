// A pass that counts the next digit of each key that it moves, where the key goes: with few keys that is sooner done than
// a dispatch for it. The counts of the pass after that are cleared meanwhile. Needs a key, digit, and the constants NEXT, the
// first of the two bindings, and NEXT_MASK, of the digit, and the kernel's `params`.

@group(0) @binding(NEXT) var<storage, read_write> next_counts: array<atomic<u32>>;   // DIGITS a column
@group(0) @binding(NEXT + 1u) var<storage, read_write> cleared: array<u32>;          // DIGITS a column

fn count_next(image: Key, place: u32) {
  let counter = (place / params.chunk) * DIGITS + digit_at(image, params.next_shift, NEXT_MASK);
  // Lanes that mean the same counter would queue for it: with equal keys they all do.
  let first = subgroupBroadcastFirst(counter);
  let same = ballot(counter == first);
  if counter != first {
    atomicAdd(&next_counts[counter], 1u);
  } else if subgroupElect() {
    atomicAdd(&next_counts[counter], lane_count(same));
  }
}

fn clear_counts(column: u32, invocation: u32) {
  if invocation < DIGITS { cleared[column * DIGITS + invocation] = 0u; }
}
