// If a sort by the most significant digit first falls back, its local sort does nothing.

#family msd

const COUNTS_IN_FALLBACK = false;

fn put_count(at: u32, count: u32) {}
