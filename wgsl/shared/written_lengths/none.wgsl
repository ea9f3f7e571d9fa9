// Only keys are wanted, not how long their runs are.

const HAS_LENGTHS = false;

fn write_length(place: u32, length: u32) {}
