// The result of a histogram.

@group(0) @binding(1) var<storage, read_write> bin_counts: array<atomic<u32>>;   // one per bin
