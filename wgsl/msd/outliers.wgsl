// Notes whether some key is outside the range of the sample, has none of the values that all samples have, or is no
// decimal as all samples are.

#constant OUTLIERS  // number of the binding

@group(0) @binding(OUTLIERS) var<storage, read_write> outliers: array<atomic<u32>>;  // 1 if there are any, else 0

var<private> has_outlier = false;

fn report_outliers() {
  if has_outlier { atomicStore(&outliers[0], 1u); }
}
