// Chunks are in no groups.

fn count_in_group(chunk: u32, digit: u32, count: u32) {}
