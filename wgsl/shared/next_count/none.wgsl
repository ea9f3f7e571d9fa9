// Does not count the next digit: a count pass does.

#import key

fn count_next(ordered: Key, place: u32) {}

fn clear_next_count(column: u32, invocation: u32) {}
