// Keys of few distinct values, which are counted and written, and not moved. src/core/sort/msd.ts explains how
// the passes work together.

#import key
#constant FEW_KEYS  // number of the binding
#constant MAX_FEW   // a power of two: the most distinct values that are counted

struct FewKeys {
  keys: array<Key, MAX_FEW>,  // the distinct values in their ordered form, in order
  count: u32,                 // how many there are
  totals: array<atomic<u32>, MAX_FEW>,  // how many keys have each of them
}

// What `fits` is if the samples have few distinct values.
const ARE_FEW = 2u;

@group(0) @binding(FEW_KEYS) var<storage, read_write> few: FewKeys;

// Slots of a table of the distinct values. A value lies in the slot of its number or after it, and no slot
// between is empty.
const FEW_SLOTS = 4u * MAX_FEW;

// The number of a key's slot. The only word of a short key is both its low and its high word.
fn few_slot(key: Key) -> u32 {
  let mixed = (word_at(key, 0u) * 0x9e3779b1u) ^ (word_at(key, 1u) * 0x85ebca6bu);
  return mixed >> (32u - countTrailingZeros(FEW_SLOTS));
}

fn next_few_slot(slot: u32) -> u32 {
  return (slot + 1u) % FEW_SLOTS;
}

fn has_same_bits(a: Key, b: Key) -> bool {
  return (word_at(a, 0u) == word_at(b, 0u)) & (word_at(a, 1u) == word_at(b, 1u));
}
