// A pass that leaves the next digit's counting to a dispatch of its own. See counts_next.

fn count_next(image: Key, place: u32) {}

fn clear_counts(column: u32, invocation: u32) {}
