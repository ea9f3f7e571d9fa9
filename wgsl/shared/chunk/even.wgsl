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
const TAKES_MORE = false;

fn column_after(column: u32, grid: vec3u) -> u32 {
  return chunk_count();
}
