// Clears the lists that segments_serial_sort.wgsl fills.

#constant START  // number of the binding

@group(0) @binding(START) var<storage, read_write> lists: array<u32>;

fn clear_start(i: u32, invocations: u32) {
  if i < 4u { lists[i] = 0u; }
}

#default
// No later pass depends on which segments there are.

fn clear_start(i: u32, invocations: u32) {}
