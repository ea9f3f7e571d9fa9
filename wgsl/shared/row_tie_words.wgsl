// The words of rows that were sorted, and their order.

#constant PARAMS  // number of the binding

struct TieParams {
  count: u32,   // rows
  chunks: u32,  // one per workgroup
  flip: u32,    // all bits if the words are in descending order, else none
}

@group(0) @binding(0) var<storage, read> sorted: array<u32>;   // for each place, which of the rows is there
@group(0) @binding(1) var<storage, read> words: array<vec2u>;
@group(0) @binding(PARAMS) var<uniform> params: TieParams;
