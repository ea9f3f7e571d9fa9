// Counts no second digit.

#import key

fn clear_extra_count(column: u32, invocation: u32) {}

fn count_extra(ordered: Key) {}

fn write_extra_count(column: u32, invocation: u32) {}
