// What a workgroup adds up of the sums of the chunks, instead of a dispatch that scans them.

#import summand
#import sum_scan
#import summed_chunks
#constant WORKGROUP_SIZE

@group(0) @binding(1) var<storage, read> chunk_sums: array<Sum>;
@group(0) @binding(2) var<storage, read_write> total: array<Sum>;   // one of its words is the sum of all

// The sum of all chunks before one. All invocations of the workgroup must call it, and a barrier must follow.
fn sum_of_earlier_chunks(chunk: Chunk, invocation: u32) -> Sum {
  var own = Sum();
  for (var i = invocation; i < chunk.number; i += WORKGROUP_SIZE) { own += chunk_sums[i]; }
  return sums_of(own, invocation).all;
}

fn is_last(chunk: Chunk) -> bool {
  return chunk.number + 1u == params.chunks;
}
