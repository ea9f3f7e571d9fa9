// The chunks of long segments, as segments_lister.wgsl has listed them.

#constant CHUNKS  // number of the binding

struct ListedChunk {
  begin: u32,
  end: u32,
  first: u32,  // the number of the first chunk of its segment
  count: u32,  // the chunks of its segment
}

struct ChunkLists {
  entries: array<u32, 3>,
  count: u32,
  chunks: array<ListedChunk>,
}

@group(0) @binding(CHUNKS) var<storage, read> chunk_list: ChunkLists;

fn listed_chunks() -> u32 {
  return chunk_list.count;
}
