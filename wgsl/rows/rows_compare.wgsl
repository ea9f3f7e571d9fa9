// One dispatch compares rows with the one before, by all keys, and adds what it finds to `totals`. An
// invocation compares one row. Where distinct rows are wanted, it also stores which ones differ from the one
// before.

#import row_text
#import row_fields
#import row_compare
#import row_totals
#import grid
#constant WORKGROUP_SIZE

struct CompareParams {
  count: u32,   // rows
  stores: u32,  // 1 if distinct rows are wanted
}

@group(0) @binding(3) var<storage, read_write> is_distinct: array<u32>;  // 1 or 0 for each row, if wanted
@group(0) @binding(4) var<storage, read_write> totals: RowTotals;
@group(0) @binding(5) var<uniform> params: CompareParams;

var<workgroup> seen: atomic<u32>;
var<workgroup> equal: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) size: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  if invocation == 0u {
    atomicStore(&seen, 0u);
    atomicStore(&equal, 0u);
  }
  workgroupBarrier();
  let row = linear_workgroup(workgroup, size) * WORKGROUP_SIZE + invocation;
  if row < params.count {
    var compared = BEFORE;
    if row > 0u {
      let before = starts[row - 1u];
      let begin = starts[row];
      let ends = vec2u(content_end(before, begin), content_end(begin, starts[row + 1u]));
      compared = compare_rows(vec2u(before, begin), ends);
    }
    if params.stores == 1u { is_distinct[row] = u32(compared != EQUAL); }
    atomicAdd(&seen, 1u);
    if compared == EQUAL { atomicAdd(&equal, 1u); }
    if compared == AFTER { atomicAdd(&totals.inversions, 1u); }
    if compared == UNKNOWN { atomicAdd(&totals.unknown, 1u); }
  }
  workgroupBarrier();
  if invocation == 0u {
    atomicAdd(&totals.compared, atomicLoad(&seen));
    atomicAdd(&totals.equal, atomicLoad(&equal));
  }
}
