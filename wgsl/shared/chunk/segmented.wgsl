// Chunks of long segments. Each lies in one segment, and those of a segment follow each other.

#import radix_pass
#import segments_chunks
#family segments

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

// There may be chunks for more workgroups than run at a time. Nearly always there are far fewer, and a workgroup
// that finds none takes some time, so each takes every so manieth chunk.
const TAKES_MORE = true;

fn column_after(column: u32, grid: vec3u) -> u32 {
  return column + grid.x * grid.y;
}
