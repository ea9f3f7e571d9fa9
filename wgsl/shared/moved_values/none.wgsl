// Keys are copied without values.

fn move_value(i: u32, index: u32, place: u32) {}
