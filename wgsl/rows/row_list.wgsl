// Rows whose keys are read: all rows of the text, in its order, or those whose order is not settled yet. A
// uniform says which, so that one kernel is compiled for both.

// Place, row, group, unused. Of all rows nothing is read, so any buffer serves.
@group(0) @binding(3) var<storage, read> ties: array<vec4u>;

fn row_of(i: u32, of_ties: bool) -> u32 {
  if of_ties { return ties[i].y; }
  return i;
}

fn is_tied_with_last(i: u32, of_ties: bool) -> bool {
  if of_ties { return ties[i].z == ties[i - 1u].z; }
  return true;
}
