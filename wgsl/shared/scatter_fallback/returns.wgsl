// If a sort by the most significant digit first falls back, its scatter moves no keys.

#family msd

const MOVES_IN_FALLBACK = false;

// The number of keys of the lowest digit's values.
fn lowest_count(at: u32) -> u32 {
  return 0u;
}
