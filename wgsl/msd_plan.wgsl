// Plans the second level of a sort by the most significant digit first, on the device: one dispatch of one
// workgroup finds where the segments of the first level start, and cuts each of them into chunks. It sets
// `fits` to 0, and lists no chunks, if a segment is so long that its own segments cannot all fit a tile, or if
// the sort has been given up before. src/core/sort/msd.ts explains how the passes work together.

#import subgroup
#import subgroup_scan
#import refused
#constant WORKGROUP_SIZE  // the number of segments
#constant PARAMS          // number of the binding

struct MsdPlanParams {
  chunk: u32,         // the maximum number of keys in a chunk
  segment_keys: u32,  // the maximum number of keys in a segment
}

struct ListedChunk {
  begin: u32,
  end: u32,
  segment: u32,
}

struct ChunkList {
  count: u32,
  chunks: array<ListedChunk>,
}

@group(0) @binding(0) var<storage, read> totals: array<u32>;              // keys of each segment
@group(0) @binding(1) var<storage, read_write> starts: array<u32>;        // of each segment
@group(0) @binding(2) var<storage, read_write> first_chunks: array<u32>;  // of each segment; then all chunks
@group(0) @binding(3) var<storage, read_write> chunk_list: ChunkList;     // see chunk/listed.wgsl
@group(0) @binding(4) var<storage, read_write> fits: array<u32>;
@group(0) @binding(PARAMS) var<uniform> params: MsdPlanParams;

var<workgroup> longest: atomic<u32>;
var<workgroup> all_fit: u32;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  start_subgroups(invocation);
  let total = totals[invocation];
  if invocation == 0u { atomicStore(&longest, 0u); }
  let start = exclusive_sum(total, invocation);
  starts[invocation] = start;
  atomicMax(&longest, total);
  workgroupBarrier();
  if invocation == 0u {
    let refused = is_refused(fits[0]);
    all_fit = select(0u, 1u, atomicLoad(&longest) <= params.segment_keys && !refused);
    fits[0] = select(all_fit * THEY_FIT, fits_if_refused(fits[0]), refused);
  }
  let fit = workgroupUniformLoad(&all_fit);

  let chunks = fit * ((total + params.chunk - 1u) / params.chunk);
  let first = exclusive_sum(chunks, invocation);
  first_chunks[invocation] = first;
  if invocation == WORKGROUP_SIZE - 1u {
    first_chunks[WORKGROUP_SIZE] = first + chunks;
    chunk_list.count = first + chunks;
  }
  for (var i = 0u; i < chunks; i++) {
    let begin = i * params.chunk;
    chunk_list.chunks[first + i] =
      ListedChunk(start + begin, start + min(begin + params.chunk, total), invocation);
  }
}
