// Marks what a chunk counts if some of its keys are outside the range of the sample: it then
// counts too many keys with the first digit value, so that their segment fits no tile.

#import key
#import key_range
#import known_range/own
#import outlier_mark
#family msd

var<private> has_outlier = false;

fn clear_outliers(invocation: u32) {
  has_outlier = false;
  clear_mark(invocation);
}

fn note_outlier(ordered: Key) {
  has_outlier |= is_outside(ordered, key_range);
}

fn note_missed() {
}

fn report_outliers() {
  if has_outlier { mark_outliers(); }
}

// What to add to the count of the first digit value.
fn outliers_marked() -> u32 {
  return outlier_mark();
}
