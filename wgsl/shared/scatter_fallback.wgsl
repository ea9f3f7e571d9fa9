#if scatter_fallback/moves
// If a sort by the most significant digit first falls back, its scatter makes the first move of the fallback in
// the same dispatch, by the lowest digit. No move has ordered the keys before, so this one need not be stable.

#constant LOWEST  // number of the binding

const MOVES_IN_FALLBACK = true;

@group(0) @binding(LOWEST) var<storage, read> lowest_counts: array<u32>;   // column by column, DIGITS per column

// The number of keys of the lowest digit's values.
fn lowest_count(at: u32) -> u32 {
  return lowest_counts[at];
}

#else
// If a sort by the most significant digit first falls back, its scatter moves no keys.

const MOVES_IN_FALLBACK = false;

// The number of keys of the lowest digit's values.
fn lowest_count(at: u32) -> u32 {
  return 0u;
}

#end
