#if outliers/marked
// Marks what a workgroup counts of its only chunk if some of the keys are outside the range of the sample: it
// then counts too many keys with the first digit value, so that their segment fits no tile. There must be a
// barrier between any two of these calls.

#import key
#import key_range
#import known_range/own

// More than a tile holds. The marks of 255 chunks are no more than a count can hold.
const OUTLIER_MARK = 1u << 24u;

var<private> has_outlier = false;
var<workgroup> any_outlier: atomic<u32>;

fn clear_outliers(invocation: u32) {
  has_outlier = false;
  if invocation == 0u { atomicStore(&any_outlier, 0u); }
}

fn note_outlier(ordered: Key) {
  has_outlier |= is_outside(ordered, key_range);
}

fn note_missed() {
}

fn report_outliers() {
  if has_outlier { atomicStore(&any_outlier, 1u); }
}

// What to add to the count of the first digit value.
fn outliers_marked() -> u32 {
  return atomicLoad(&any_outlier) * OUTLIER_MARK;
}

#elif outliers/noted
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

#else
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

#end
