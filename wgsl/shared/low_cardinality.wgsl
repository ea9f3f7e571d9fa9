// Keys of low cardinality: those of few distinct values, which are counted and written, and not moved.
// src/core/sort/msd/msd.ts explains the order of the passes.

#import key
#constant DISTINCT_KEYS  // number of the binding
#constant MAX_DISTINCT   // a power of two: the most distinct values that are counted

struct DistinctKeys {
  keys: array<Key, MAX_DISTINCT>,  // the distinct values in their ordered form, in order
  count: u32,                 // how many there are
  totals: array<atomic<u32>, MAX_DISTINCT>,  // how many keys have each of them
}

@group(0) @binding(DISTINCT_KEYS) var<storage, read_write> distinct_keys: DistinctKeys;

// Slots of a table of the distinct values. A value lies in the slot of its number or after it, and no slot
// between is empty.
const DISTINCT_SLOTS = 4u * MAX_DISTINCT;

// The number of a key's slot. The only word of a short key is both its low and its high word.
fn distinct_slot(key: Key) -> u32 {
  let mixed = (word_at(key, 0u) * 0x9e3779b1u) ^ (word_at(key, 1u) * 0x85ebca6bu);
  return mixed >> (32u - countTrailingZeros(DISTINCT_SLOTS));
}

fn next_distinct_slot(slot: u32) -> u32 {
  return (slot + 1u) % DISTINCT_SLOTS;
}

fn has_same_bits(a: Key, b: Key) -> bool {
  return (word_at(a, 0u) == word_at(b, 0u)) & (word_at(a, 1u) == word_at(b, 1u));
}
