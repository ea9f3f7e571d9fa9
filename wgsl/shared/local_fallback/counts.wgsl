// If a sort by the most significant digit first falls back, its local sort counts a digit for the second
// move of the fallback in the same dispatch: its scatter has made the first one (scatter_fallback/moves.wgsl).

#constant COUNTS  // number of the binding
#family msd

const COUNTS_IN_FALLBACK = true;

@group(0) @binding(COUNTS) var<storage, read_write> counts: array<u32>;   // column by column, DIGITS per column

fn put_count(at: u32, count: u32) {
  counts[at] = count;
}
