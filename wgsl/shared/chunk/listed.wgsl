// Chunks from the list that msd_plan.wgsl writes. Each chunk lies in one segment.

#constant CHUNKS  // number of the binding

struct ChunkRange {
  begin: u32,
  end: u32,
  segment: u32,
}

struct ChunkList {
  count: u32,
  chunks: array<ChunkRange>,
}

@group(0) @binding(CHUNKS) var<storage, read> chunk_list: ChunkList;

fn column_of(workgroup: vec3u) -> u32 {
  return workgroup.x;
}

fn chunk_count() -> u32 {
  return chunk_list.count;
}

fn chunk_range(number: u32) -> ChunkRange {
  return chunk_list.chunks[number];
}

// A workgroup takes one chunk.
const TAKES_MORE = false;

fn column_after(column: u32, grid: vec3u) -> u32 {
  return chunk_count();
}
