// How far a radix select has come, from the most significant digit down. It selects the first `top_keys` keys
// of the order; the last of them, the k-th key, has the known bits of `prefix`. src/core/sort/select/select.ts
// explains how the kernels work together.

struct Selection {
  selected: u32,     // keys that are selected, once no pass of the selection is left
  counting: u32,     // 1 as long as another digit must be counted, if one is left
  key_count: u32,    // keys to select from: all, or those that were selected of the parts of the input
  top_keys: u32,     // k: how many are requested
  before: u32,       // keys whose known bits are less than those of `prefix`: all are selected
  equal: u32,        // keys that have just these known bits; 0 if some are taken, but not all were counted
  taken: u32,        // how many of these are selected: the first ones in the input
  known_low: u32,    // the known bits of a key's compared form: in its low word
  known_high: u32,   // and in its high word
  prefix_low: u32,   // what the k-th key has in these bits
  prefix_high: u32,
  fell_back: u32,    // 1 if the bound of the sample did not hold, so that digits are counted
}
