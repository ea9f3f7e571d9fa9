// No values are moved.

#import kept_slots

fn move_values(kept: KeptItems, invocation: u32) {}
