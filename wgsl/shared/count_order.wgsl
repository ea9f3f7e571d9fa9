// Where a count pass of a move writes the counts of a chunk: column by column, for passes that add up those of
// neighbouring chunks, or row by row, as radix_scan.wgsl scans them.

#if count_order/columns
#import digit

// The index of the number of keys of the chunk with a digit value.
fn count_at(chunk: u32, digit: u32) -> u32 {
  return chunk * DIGITS + digit;
}
#elif count_order/rows
#import radix_pass

// The index of the number of keys of the chunk with a digit value.
fn count_at(chunk: u32, digit: u32) -> u32 {
  return digit * params.columns + chunk;
}
#end
