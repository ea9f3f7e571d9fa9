#if kept_indices/all
// The indices of the kept items are written.

#import kept_slots
#import scan_tile
#import summed_chunks
#constant WORKGROUP_SIZE
#constant INDICES  // number of the binding

@group(0) @binding(INDICES) var<storage, read_write> kept_indices: array<u32>;

fn write_indices(kept: KeptItems, invocation: u32) {
  for (var rank = invocation; rank < kept.count; rank += WORKGROUP_SIZE) {
    if is_bound(kept.place + rank) {
      kept_indices[kept.place + rank] = params.begin + kept.tile + tile_elements[rank];
    }
  }
}

#else
// No indices are written.

#import kept_slots

fn write_indices(kept: KeptItems, invocation: u32) {}

#end
