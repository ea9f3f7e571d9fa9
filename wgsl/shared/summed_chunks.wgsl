// How the kernels of a scan and of a compaction by flags cut their elements into chunks.
// src/core/primitives/scan_plan.ts explains their order.

#import key_total
#constant PARAMS  // number of the binding

struct ScanParams {
  element_count: u32,  // elements in the window, at most
  begin: u32,          // elements before the window
  chunk: u32,          // elements per chunk; a workgroup owns a chunk
  first_chunk: u32,    // chunks before the window
  chunks: u32,         // chunks of all windows
  count_at: u32,       // the word of the count that the device knows
  total_at: u32,       // the word of the total in what is bound of its buffer
  output_begin: u32,   // elements before the bound window of the output of a compaction
  output_count: u32,   // elements in that window
}

@group(0) @binding(PARAMS) var<uniform> params: ScanParams;

// The elements of a chunk, counted from the begin of the window.
struct Chunk {
  number: u32,  // of all windows
  begin: u32,
  end: u32,     // the begin, or less, if the device counts no elements here
}

fn chunk_of(workgroup: u32) -> Chunk {
  let window_end = params.begin + params.element_count;
  let elements = max(key_total(window_end, params.count_at), params.begin) - params.begin;
  let begin = workgroup * params.chunk;
  return Chunk(params.first_chunk + workgroup, begin, min(begin + params.chunk, elements));
}
