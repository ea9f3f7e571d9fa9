// Clears the grids of the merge passes, which segments_sort.wgsl fills in.

#import segments
#constant START  // number of the binding

@group(0) @binding(START) var<storage, read_write> grids: array<u32>;  // three words each

fn clear_start(i: u32, invocations: u32) {
  if i < params.levels {
    grids[3u * i] = 0u;
    grids[3u * i + 1u] = params.rows;
    grids[3u * i + 2u] = 1u;
  }
}
