// There are no merge passes.

fn grow_grid(level: u32) {}
