// Which bytes end rows, where a quote is a byte like others.

#import row_vectors

// Whether the vector `first`, the first one of an invocation, begins within quotes.
fn begins_within(chunk: u32, first: u32, invocation: u32) -> bool {
  return false;
}

fn row_ends(number: u32, inside: bool) -> RowEnds {
  return RowEnds(vector_marks(number, params.terminator), false, false);
}
