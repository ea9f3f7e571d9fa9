// The parameters of the passes of one move. src/core/sort/radix/radix.ts explains the order of the passes.

struct RadixParams {
  key_count: u32,     // all keys
  shift: u32,         // the digit's lowest bit
  chunk: u32,         // keys per chunk; a workgroup owns a chunk, or an invocation in the serial kernels
  columns: u32,       // chunks, and so columns of counts
  first_column: u32,  // the first column of this dispatch; 0 unless the buffers are bound in windows
  input_begin: u32,   // keys before the bound window of the input
  output_begin: u32,  // keys before the bound window of the output
  output_keys: u32,   // keys in the bound window of the output
  extra_shift: u32,   // the lowest bit of the second digit that a count pass counts
  segment_keys: u32,  // the maximum number of keys of a segment that the local sort can sort
  // Of msd_count.wgsl and msd_aligned_scatter.wgsl alone: one program counts digits of all lengths.
  mask: u32,           // the digit's mask: see digit.wgsl
  digits: u32,         // the counts of a chunk
  digit_stride: u32,   // the distance from one of them to the next
  column_stride: u32,  // the distance from a chunk's counts to those of the next one
  // Of differing_bits.wgsl alone, each as the low and the high word of a key: the bits of the two moves that
  // are skipped together, 0 if they always run; and those of all moves after these two.
  pair_low: u32,
  pair_high: u32,
  later_low: u32,
  later_high: u32,
}
