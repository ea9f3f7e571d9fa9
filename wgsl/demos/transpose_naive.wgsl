// Transposes a matrix of words without workgroup memory, as a first attempt would: neighbouring invocations
// read neighbouring words, and write words that are a whole row apart. src/demos/transpose.ts compares it
// with the tiled kernels.

#import grid
#constant WORKGROUP_SIZE

struct NaiveParams {
  rows: u32,  // of the input
  columns: u32,
}

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> params: NaiveParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let at = linear_workgroup(grid) * WORKGROUP_SIZE + invocation;
  if at >= params.rows * params.columns { return; }
  output[(at % params.columns) * params.rows + at / params.columns] = input[at];
}
