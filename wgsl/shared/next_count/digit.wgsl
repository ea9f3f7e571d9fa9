// Counts the next digit of each key while a scatter pass moves it, in the column of the chunk that the key is
// moved to. For few keys, this is faster than a count pass. Also clears the counts that the pass after this
// one adds to.

#import key
#import digit
#import lanes
#import radix_pass
#enable subgroups
#constant NEXT       // number of the first of two bindings
#constant NEXT_MASK  // the next digit's mask

@group(0) @binding(NEXT) var<storage, read_write> next_counts: array<atomic<u32>>;   // DIGITS per column
@group(0) @binding(NEXT + 1u) var<storage, read_write> cleared: array<u32>;          // DIGITS per column

fn count_next(ordered: Key, place: u32) {
  let counter = (place / params.chunk) * DIGITS + digit_at(ordered, params.next_shift, NEXT_MASK);
  // One atomic operation counts for all lanes that have the same counter as the first lane. If all keys are
  // equal, those are all lanes.
  let first = subgroupBroadcastFirst(counter);
  let same = subgroupBallot(counter == first);
  if counter != first {
    atomicAdd(&next_counts[counter], 1u);
  } else if subgroupElect() {
    atomicAdd(&next_counts[counter], ballot_count(same));
  }
}

fn clear_next_count(column: u32, invocation: u32) {
  if invocation < DIGITS { cleared[column * DIGITS + invocation] = 0u; }
}

#default
// Does not count the next digit: a count pass does.

#import key

fn count_next(ordered: Key, place: u32) {}

fn clear_next_count(column: u32, invocation: u32) {}
