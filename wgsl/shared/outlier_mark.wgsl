// How a workgroup that counts its only chunk marks that this has outliers. There must be a barrier between any two
// of these calls.

// More than a tile holds. The marks of 255 chunks are no more than a count can hold.
const OUTLIER_MARK = 1u << 24u;

var<workgroup> any_outlier: atomic<u32>;

fn clear_mark(invocation: u32) {
  if invocation == 0u { atomicStore(&any_outlier, 0u); }
}

fn mark_outliers() {
  atomicStore(&any_outlier, 1u);
}

// What to add to a count.
fn outlier_mark() -> u32 {
  return atomicLoad(&any_outlier) * OUTLIER_MARK;
}
