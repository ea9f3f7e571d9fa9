// No later pass depends on which segments there are.

fn clear_start(i: u32, invocations: u32) {}
