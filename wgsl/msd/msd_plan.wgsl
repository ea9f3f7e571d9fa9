// Plans the second level of a sort by the most significant digit first, on the device: one dispatch of one
// workgroup finds where the segments of the first level start, and cuts each of them into chunks. It sets
// `status` to FALLBACK, and lists no chunks, if a segment is so long that its own segments cannot all fit a
// tile, or if the sort has fallen back before. src/core/sort/msd/msd.ts explains the order of the passes.

#import subgroup
#import status
#constant WORKGROUP_SIZE  // at least the number of segments
#constant PARAMS          // number of the binding

#if after/sample
#constant OUTLIERS        // number of the binding
#end
#if clears_groups/yes
#constant GROUPS          // number of the binding
#end
#if lists_long/yes
#constant LONG_SEGMENTS   // number of the binding
#end

struct MsdPlanParams {
  segments: u32,
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
@group(0) @binding(3) var<storage, read_write> chunk_list: ChunkList;     // see chunk.wgsl
@group(0) @binding(4) var<storage, read_write> status: array<u32>;
@group(0) @binding(PARAMS) var<uniform> params: MsdPlanParams;
#if after/sample
@group(0) @binding(OUTLIERS) var<storage, read> outliers: array<u32>;  // see outliers.wgsl
#end
#if clears_groups/yes
// What the first count pass of a fallback adds to, besides two words of `status` (differing_bits.wgsl). This
// pass clears both, as it always runs: a dispatch of its own would cost 2 us even if it returns immediately.
@group(0) @binding(GROUPS) var<storage, read_write> group_counts: array<u32>;
#end
#if lists_long/yes
@group(0) @binding(LONG_SEGMENTS) var<storage, read_write> long_segments: array<u32>;  // see msd_scan.wgsl
#end

// The start of each segment, and its first chunk; then the number of keys, and of chunks.
var<workgroup> segment_starts: array<u32, WORKGROUP_SIZE + 1u>;
var<workgroup> chunk_starts: array<u32, WORKGROUP_SIZE + 1u>;
var<workgroup> longest: atomic<u32>;
var<workgroup> all_fit: u32;

// The segment in which a chunk lies: the last one whose first chunk is not after it.
fn segment_of(chunk: u32) -> u32 {
  var low = 0u;
  var high = params.segments;
  while high - low > 1u {
    let middle = (low + high) / 2u;
    if chunk_starts[middle] <= chunk { low = middle; } else { high = middle; }
  }
  return low;
}

// The new `status` if all segments fit: that of the sample, if there was one, or FALLBACK if some key is
// outside the range of the samples or has none of their values.
fn status_if_fit() -> u32 {
#if after/sample
  // Both loads are in flight at once.
  return select(FALLBACK, status[0], outliers[0] == 0u);
#else
  return FITS;
#end
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  start_subgroups(invocation);
  var total = 0u;
  if invocation < params.segments { total = totals[invocation]; }
  let before = status_if_fit();
#if clears_groups/yes
  for (var i = invocation; i < arrayLength(&group_counts); i += WORKGROUP_SIZE) { group_counts[i] = 0u; }
  if invocation < 2u { status[FIRST_DIFFERING + invocation] = 0u; }
#end
  if invocation == 0u {
    atomicStore(&longest, 0u);
#if lists_long/yes
    long_segments[0] = 0u;
#end
  }
  let start = exclusive_sum(total, invocation);
  if invocation < params.segments {
    starts[invocation] = start;
    segment_starts[invocation] = start;
    if invocation == params.segments - 1u { segment_starts[params.segments] = start + total; }
    atomicMax(&longest, total);
  }
  workgroupBarrier();
  if invocation == 0u {
    let fit = atomicLoad(&longest) <= params.segment_keys || before == EQUAL_SEGMENTS;
    all_fit = select(0u, 1u, fit && moves_keys(before));
    status[0] = select(FALLBACK, before, all_fit == 1u || !moves_keys(before));
  }
  let fit = workgroupUniformLoad(&all_fit);

  let chunks = fit * ((total + params.chunk - 1u) / params.chunk);
  let first = exclusive_sum(chunks, invocation);
  if invocation < params.segments {
    first_chunks[invocation] = first;
    chunk_starts[invocation] = first;
    if invocation == params.segments - 1u {
      first_chunks[params.segments] = first + chunks;
      chunk_starts[params.segments] = first + chunks;
      chunk_list.count = first + chunks;
    }
  }
  workgroupBarrier();
  // Neighbouring invocations write neighbouring chunks.
  for (var i = invocation; i < chunk_starts[params.segments]; i += WORKGROUP_SIZE) {
    let segment = segment_of(i);
    let begin = segment_starts[segment] + (i - chunk_starts[segment]) * params.chunk;
    let end = min(begin + params.chunk, segment_starts[segment + 1u]);
    chunk_list.chunks[i] = ListedChunk(begin, end, segment);
  }
}
