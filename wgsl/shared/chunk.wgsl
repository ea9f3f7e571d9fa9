#if chunk/even
// Chunks of equal length that follow each other.

#import radix_pass

struct ChunkRange {
  begin: u32,
  end: u32,
  segment: u32,
}

fn column_of(workgroup: vec3u) -> u32 {
  return params.first_column + workgroup.x;
}

fn chunk_count() -> u32 {
  return params.columns;
}

fn chunk_range(number: u32) -> ChunkRange {
  let begin = number * params.chunk;
  return ChunkRange(begin, min(begin + params.chunk, params.key_count), 0u);
}

// A workgroup takes one chunk.
const IS_STRIDED = false;

#elif chunk/listed
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
const IS_STRIDED = false;

#elif chunk/segmented
// Chunks of long segments. Each lies in one segment, and those of a segment follow each other.

#import radix_pass
#import segments_chunks

alias ChunkRange = ListedChunk;

fn column_of(workgroup: vec3u) -> u32 {
  return workgroup.y * params.columns + workgroup.x;
}

fn chunk_count() -> u32 {
  return listed_chunks();
}

fn chunk_range(number: u32) -> ChunkRange {
  return chunk_list.chunks[number];
}

// There may be chunks for more workgroups than run at a time. Nearly always there are far fewer, and a
// workgroup that finds none takes some time, so workgroups take the chunks in a grid-stride loop.
const IS_STRIDED = true;

#end
