// The first step to find the rows of a text: one dispatch counts the bytes that end rows, in each chunk. A
// workgroup counts one chunk. It also says whether a quote occurs.

#import row_vectors
#import grid
#constant WORKGROUP_SIZE
#constant VECTORS

@group(0) @binding(1) var<storage, read_write> text_counts: array<u32>;            // one per chunk
@group(0) @binding(2) var<storage, read_write> quotes: array<atomic<u32>>;    // [0]: 1 if there is one

var<workgroup> rows_in_chunk: atomic<u32>;
var<workgroup> quotes_in_chunk: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) size: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let chunk = linear_workgroup(workgroup, size);
  if chunk >= params.chunks { return; }
  if invocation == 0u {
    atomicStore(&rows_in_chunk, 0u);
    atomicStore(&quotes_in_chunk, 0u);
  }
  workgroupBarrier();
  var count = 0u;
  var quoted = vec4u();
  for (var k = 0u; k < VECTORS; k++) {
    let number = chunk * CHUNK_VECTORS + k * WORKGROUP_SIZE + invocation;
    count += count_marks(vector_marks(number, params.terminator));
    if params.quote != params.terminator { quoted |= vector_marks(number, params.quote); }
  }
  atomicAdd(&rows_in_chunk, count);
  if any(quoted != vec4u()) { atomicStore(&quotes_in_chunk, 1u); }
  workgroupBarrier();
  if invocation == 0u {
    text_counts[chunk] = atomicLoad(&rows_in_chunk);
    if atomicLoad(&quotes_in_chunk) == 1u { atomicStore(&quotes[0], 1u); }
  }
}
