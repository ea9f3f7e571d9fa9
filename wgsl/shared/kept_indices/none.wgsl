// No indices are written.

#import kept_slots

fn write_indices(kept: KeptItems, invocation: u32) {}
