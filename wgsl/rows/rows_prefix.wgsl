// One dispatch finds how many bytes keys have in common with those that are tied with them, from some byte on.
// An invocation compares the keys of two rows that follow each other in the list, up to as many bytes as other
// invocations have left. Keys that are equal do not count: no byte tells them apart.

#import row_text
#import row_fields
#import row_bytes
#import row_list
#import grid
#constant WORKGROUP_SIZE
#constant MOST    // bytes that are compared at most

struct PrefixParams {
  count: u32,   // rows
  key: u32,     // the number of the key, which is compared byte by byte
  passed: u32,  // bytes of it that are known to be equal
  of_ties: u32, // 1 if the rows are those of `ties`
}

// [0]: 0 if no two keys differ, else MOST + 1 less the bytes in common.
@group(0) @binding(4) var<storage, read_write> differing: array<atomic<u32>>;
@group(0) @binding(5) var<uniform> params: PrefixParams;

var<workgroup> differs: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  if invocation == 0u { atomicStore(&differs, atomicLoad(&differing[0])); }
  workgroupBarrier();
  let i = linear_workgroup(grid) * WORKGROUP_SIZE + invocation;
  let of_ties = params.of_ties == 1u;
  if i > 0u && i < params.count && is_tied_with_last(i, of_ties) {
    var starts_of = vec2u();
    var ends_of = vec2u();
    for (var side = 0u; side < 2u; side++) {
      let row = row_of(i - side, of_ties);
      let begin = starts[row];
      let end = content_end(begin, starts[row + 1u]);
      let key = find_key(params.key, begin, end);
      starts_of[side] = key.begin;
      ends_of[side] = key.end;
    }
    let most = MOST + 1u - max(1u, atomicLoad(&differs));
    let in_common = bytes_in_common(params.key, starts_of, ends_of, params.passed, most);
    if in_common.differ { atomicMax(&differs, MOST + 1u - in_common.bytes); }
  }
  workgroupBarrier();
  if invocation == 0u {
    let here = atomicLoad(&differs);
    if here > atomicLoad(&differing[0]) { atomicMax(&differing[0], here); }
  }
}
