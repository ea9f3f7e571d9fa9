// Binds the parameters of inspect.wgsl.

#constant PARAMS  // number of the binding

struct InspectParams {
  key_count: u32,   // keys in the window
  stride: u32,      // invocations in the whole grid: each inspects every stride-th key
  begin: u32,       // keys before the window
  bound_low: u32,   // if BOUNDED, the low word of the last ordered form that is inspected
  bound_high: u32,  // its high word
  neighbours: u32,  // keys of the window that have a right neighbour; all of these neighbours are bound
}

@group(0) @binding(PARAMS) var<uniform> params: InspectParams;
