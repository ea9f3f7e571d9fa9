// The first step of a scan, and of a compaction by flags: one dispatch adds up the elements, or the flags, of
// each chunk. A workgroup adds up one chunk, and an invocation every WORKGROUP_SIZE-th element of it.

#import sum_scan
#constant WORKGROUP_SIZE
#constant LOADS  // loads in flight, which hide the memory's latency

@group(0) @binding(0) var<storage, read> elements: array<Sum>;
@group(0) @binding(1) var<storage, read_write> chunk_sums: array<Sum>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let chunk = chunk_of(workgroup.x);
  var own = Sum();
  var i = chunk.begin + invocation;
  for (; i + (LOADS - 1u) * WORKGROUP_SIZE < chunk.end; i += LOADS * WORKGROUP_SIZE) {
    var loaded: array<Sum, LOADS>;
    #unroll
    for (var k = 0u; k < LOADS; k++) {
      loaded[k] = elements[i + k * WORKGROUP_SIZE];
    }
    #unroll
    for (var k = 0u; k < LOADS; k++) {
      own += summand(loaded[k]);
    }
  }
  for (; i < chunk.end; i += WORKGROUP_SIZE) { own += summand(elements[i]); }
  let sums = sums_of(own, invocation);
  if invocation == 0u { chunk_sums[chunk.number] = sums.all; }
}
