// What the kernels of one radix pass are told: src/sort/radix.ts says how they work together.

struct Params {
  key_count: u32,
  shift: u32,         // the digit's lowest bit
  chunk: u32,         // keys a column of counts: a workgroup's, or an invocation's in the serial kernels
  columns: u32,
  first_column: u32,  // this dispatch begins with; not 0 where the buffers are bound in windows
  input_begin: u32,   // keys before the window that is bound as input
  output_begin: u32,  // keys before the window that is bound as output
  output_keys: u32,   // keys in it
  next_shift: u32,    // the next digit's lowest bit, where it is counted meanwhile
}
