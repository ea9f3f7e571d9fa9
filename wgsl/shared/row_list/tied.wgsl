// The rows are those whose order is not settled yet.

#constant TIES  // number of the binding

@group(0) @binding(TIES) var<storage, read> ties: array<vec4u>;  // place, row, group, unused

fn row_of(i: u32) -> u32 {
  return ties[i].y;
}

fn is_tied_with_last(i: u32) -> bool {
  return ties[i].z == ties[i - 1u].z;
}
