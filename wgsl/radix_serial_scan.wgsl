// Turns each digit's row of counts into where its keys start within the digit, and tells the row's total: a row an
// invocation, from end to end. For software adapters. src/twins/radix.ts has its twin, which is radix_scan's.
//
// Uses radix_params. Constants: WORKGROUP_SIZE (invocations), DIGIT_BITS, PARAMS (the binding of the parameters).

@group(0) @binding(0) var<storage, read_write> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> totals: array<u32>;
@group(0) @binding(PARAMS) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u) {
  let digit = global.x;
  if digit >= 1u << DIGIT_BITS { return; }
  let row = digit * params.columns;
  var start = 0u;
  for (var i = row; i < row + params.columns; i++) {
    let count = counts[i];
    counts[i] = start;
    start += count;
  }
  totals[digit] = start;
}
