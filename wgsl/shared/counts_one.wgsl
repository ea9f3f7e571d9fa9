// Counts one digit alone. See counts_two.

fn clear_also(column: u32, invocation: u32) {}

fn count_also(image: Key) {}

fn write_also(column: u32, invocation: u32) {}
