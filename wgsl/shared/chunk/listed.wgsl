// Chunks from the list that msd_plan.wgsl writes. Each chunk lies in one segment.

#constant SEGMENTS  // of the first level
#constant CHUNKS    // number of the first of two bindings

struct ChunkRange {
  begin: u32,
  end: u32,
  segment: u32,
}

// The number of each segment's first chunk; then the number of all chunks.
@group(0) @binding(CHUNKS) var<storage, read> first_chunks: array<u32>;
@group(0) @binding(CHUNKS + 1u) var<storage, read> chunk_list: array<ChunkRange>;

fn chunk_count() -> u32 {
  return first_chunks[SEGMENTS];
}

fn chunk_range(number: u32) -> ChunkRange {
  return chunk_list[number];
}
