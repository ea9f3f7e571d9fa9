// One dispatch finds how many bytes the keys of all rows have in common. An invocation compares the key of one row
// with that of the first row, up to as many bytes as others have left.

#import row_text
#import row_fields
#import row_list
#import grid
#constant WORKGROUP_SIZE
#constant MOST    // bytes that are compared at most
#constant PARAMS  // number of the binding

struct PrefixParams {
  count: u32,  // rows
  key: u32,    // the number of the key, which is compared byte by byte
}

@group(0) @binding(3) var<storage, read_write> differing: array<atomic<u32>>;  // [0]: MOST less what is common
@group(0) @binding(PARAMS) var<uniform> params: PrefixParams;

var<workgroup> least: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) size: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  if invocation == 0u { atomicStore(&least, MOST - min(MOST, atomicLoad(&differing[0]))); }
  workgroupBarrier();
  let i = linear_workgroup(workgroup, size) * WORKGROUP_SIZE + invocation;
  if i < params.count {
    let row = row_of(i);
    let begin = starts[row];
    let end = content_end(begin, starts[row + 1u]);
    let start = key_begin(params.key, begin, end);
    let to = key_end(params.key, begin, end, start);
    let first = row_of(0u);
    let other_begin = starts[first];
    let other_end = content_end(other_begin, starts[first + 1u]);
    let other = key_begin(params.key, other_begin, other_end);
    let other_to = key_end(params.key, other_begin, other_end, other);
    let most = min(atomicLoad(&least), min(to - start, other_to - other));
    var same_bytes = 0u;
    while same_bytes < most && byte_at(start + same_bytes) == byte_at(other + same_bytes) { same_bytes += 1u; }
    atomicMin(&least, same_bytes);
  }
  workgroupBarrier();
  if invocation == 0u {
    let differs = MOST - atomicLoad(&least);
    if differs > atomicLoad(&differing[0]) { atomicMax(&differing[0], differs); }
  }
}
