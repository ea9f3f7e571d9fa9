// Marks what a chunk counts if some of its keys, of two words, lack the bits that the sample shares: see
// marked_32.wgsl.

#import key
#import shared_bits/64
#import own_bits_64
#import outlier_mark
#family msd

var<private> has_outlier = false;

fn clear_outliers(invocation: u32) {
  has_outlier = false;
  clear_mark(invocation);
}

fn note_outlier(ordered: Key) {
  has_outlier |= is_outlier(ordered, own_bits);
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
