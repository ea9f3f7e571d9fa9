// One dispatch leaves rows out of an order that do not differ from the one before. A workgroup owns a chunk of the
// order, and an invocation ROWS_PER_INVOCATION consecutive places of it.

#import workgroup_scan
#import grid
#constant WORKGROUP_SIZE
#constant ROWS_PER_INVOCATION

struct KeepRowParams {
  count: u32,   // rows
  chunks: u32,  // one per workgroup
}

@group(0) @binding(0) var<storage, read> is_distinct: array<u32>;
@group(0) @binding(1) var<storage, read> permutation: array<u32>;
@group(0) @binding(2) var<storage, read> distinct_before: array<u32>;  // rows before each chunk
@group(0) @binding(3) var<storage, read_write> next_permutation: array<u32>;
@group(0) @binding(4) var<uniform> params: KeepRowParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) size: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let chunk = linear_workgroup(workgroup, size);
  if chunk >= params.chunks { return; }
  let first = min((chunk * WORKGROUP_SIZE + invocation) * ROWS_PER_INVOCATION, params.count);
  let end = min(first + ROWS_PER_INVOCATION, params.count);
  var kept = 0u;
  for (var place = first; place < end; place++) { kept += is_distinct[place]; }
  var to = distinct_before[chunk] + inclusive_sum(kept, invocation) - kept;
  for (var place = first; place < end; place++) {
    if is_distinct[place] == 0u { continue; }
    next_permutation[to] = permutation[place];
    to += 1u;
  }
}
