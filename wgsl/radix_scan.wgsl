// Turns each digit's row of counts into where its keys start within the digit, and tells the row's total. One
// workgroup a digit; each invocation adds up a piece of the row. src/twins/radix.ts has its twin.
//
// Uses radix_params and workgroup_scan. Constants: WORKGROUP_SIZE
// (invocations), PARAMS (the binding of the parameters).

@group(0) @binding(0) var<storage, read_write> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> totals: array<u32>;
@group(0) @binding(PARAMS) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let row = workgroup.x * params.columns;
  let piece = (params.columns + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
  let begin = min(invocation * piece, params.columns);
  let end = min(begin + piece, params.columns);

  var sum = 0u;
  for (var i = begin; i < end; i++) { sum += counts[row + i]; }
  let inclusive = inclusive_sum(sum, invocation);

  var start = inclusive - sum;
  for (var i = begin; i < end; i++) {
    let count = counts[row + i];
    counts[row + i] = start;
    start += count;
  }
  if invocation == WORKGROUP_SIZE - 1u { totals[workgroup.x] = inclusive; }
}
