// One dispatch looks for rows that are in error: without the field of a key that must be there, or with a key
// that must be a number and is none. An invocation looks at all keys of one row.

#import row_text
#import row_order
#import row_fields
#import row_kinds
#import grid
#constant WORKGROUP_SIZE

struct CheckParams {
  count: u32,  // rows
}

// [0]: 0 if no row is in error, else 2^32 - 1 less the number of the first one that is.
@group(0) @binding(3) var<storage, read_write> wrong: array<atomic<u32>>;
@group(0) @binding(4) var<uniform> params: CheckParams;

fn is_wrong(key: u32, begin: u32, end: u32) -> bool {
  let found = find_key(key, begin, end);
  if found.is_missing && of_key(key, REQUIRED) != 0u { return true; }
  if of_key(key, INVALID) != INVALID_REPORTED { return false; }
  return !is_value(key, value_word(key, 0u, found.begin, found.end), found.begin, found.end);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) size: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let row = linear_workgroup(workgroup, size) * WORKGROUP_SIZE + invocation;
  if row >= params.count { return; }
  let begin = starts[row];
  let end = content_end(begin, starts[row + 1u]);
  var wrong_keys = 0u;
  for (var key = 0u; key < key_count(); key++) { wrong_keys += u32(is_wrong(key, begin, end)); }
  if wrong_keys > 0u && 0xffffffffu - row > atomicLoad(&wrong[0]) { atomicMax(&wrong[0], 0xffffffffu - row); }
}
