// Notes whether some key is outside the range of the sample.

#import key
#import key_range
#import known_range/bound
#constant OUTLIERS  // number of the binding

@group(0) @binding(OUTLIERS) var<storage, read_write> outliers: array<atomic<u32>>;  // 1 if there are any, else 0

var<private> has_outlier = false;

fn note_outlier(ordered: Key) {
  has_outlier |= is_outside(ordered, key_range);
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

#default
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
