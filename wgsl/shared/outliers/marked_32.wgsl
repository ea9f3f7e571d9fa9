// Marks what a chunk counts if some of its keys, of one word, lack the bits that the sample shares: it then
// counts too many keys with the first digit value, so that their segment fits no tile.

#import key
#import shared_bits/32
#import own_bits_32
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
