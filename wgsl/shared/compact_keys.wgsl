// How the kernels of a compaction read keys. src/core/sort/compact.ts explains how they work together.

#import key
#constant PARAMS  // number of the binding

struct CompactParams {
  key_count: u32,     // keys in the window
  begin: u32,         // keys before the window
  lead: u32,          // keys before the window that are bound with it
  chunk: u32,         // keys per chunk; a workgroup owns a chunk
  first_chunk: u32,   // chunks before the window
  output_begin: u32,  // keys before the bound window of the output
  output_keys: u32,   // keys in the bound window of the output
  bound_low: u32,     // if BOUNDED, the low word of the last ordered form that is kept
  bound_high: u32,    // its high word
}

@group(0) @binding(0) var<storage, read> keys: array<Stored>;
@group(0) @binding(PARAMS) var<uniform> params: CompactParams;

// Key `i` of the window. If keys before it are bound, `i` may be negative, modulo 2^32.
fn key_at(i: u32) -> Key {
  return unpack(keys[stored_at(params.lead + i)], params.lead + i);
}
