// Keys are copied without values.

fn refine_value(from_all: bool, i: u32, place: u32) {}
