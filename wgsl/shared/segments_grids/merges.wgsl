// The grids of the merge passes, which segments_plan.wgsl has cleared.

#import segments
#constant GRIDS  // number of the binding

@group(0) @binding(GRIDS) var<storage, read_write> grids: array<atomic<u32>>;  // three words per merge pass

// Makes the merge pass of a level run.
fn grow_grid(level: u32) {
  atomicMax(&grids[3u * level], params.columns);
}
