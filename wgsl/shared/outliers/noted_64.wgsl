// Notes whether some key of two words lacks the bits that all keys share, as far as a sample tells.

#import key
#import shared_bits/64
#import found_bits_64
#constant OUTLIERS  // number of the binding

@group(0) @binding(OUTLIERS) var<storage, read_write> outliers: array<atomic<u32>>;  // 1 if there are any, else 0

var<private> has_outlier = false;

fn note_outlier(ordered: Key) {
  has_outlier |= is_outlier(ordered, shared_bits);
}

// Notes that some key has none of the few values that all samples have.
fn note_missed() {
  has_outlier = true;
}

fn report_outliers() {
  if has_outlier { atomicStore(&outliers[0], 1u); }
}

fn clear_outliers(invocation: u32) {
}

// What to add to the count of the first digit value.
fn outliers_marked() -> u32 {
  return 0u;
}
