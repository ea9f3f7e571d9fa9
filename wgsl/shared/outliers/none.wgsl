// For keys of which nothing is expected.

#import key

fn note_outlier(ordered: Key) {
}

fn note_missed() {
}

fn report_outliers() {
}

fn clear_outliers(invocation: u32) {
}

// What to add to the count of the first digit value.
fn outliers_marked() -> u32 {
  return 0u;
}
