// The first step of copying what a selection found: one dispatch counts, for each chunk, the keys before those
// with the k-th key's known bits, and in a second row the keys with these bits.

#import key
#import selected_keys
#constant WORKGROUP_SIZE

@group(0) @binding(2) var<storage, read_write> counts: array<u32>;   // two rows, of one word per chunk

// This many loads in flight hide the memory's latency.
const LOADS = 8u;

var<workgroup> before: atomic<u32>;
var<workgroup> equal: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  if params.only_after_fallback == 1u && selection.fell_back == 0u { return; }
  if invocation == 0u {
    atomicStore(&before, 0u);
    atomicStore(&equal, 0u);
  }
  workgroupBarrier();
  let begin = workgroup.x * params.chunk;
  let end = min(begin + params.chunk, window_keys());
  var sums = vec2u();
  var i = begin + invocation;
  for (; i + (LOADS - 1u) * WORKGROUP_SIZE < end; i += LOADS * WORKGROUP_SIZE) {
    var held: array<Key, LOADS>;
    for (var k = 0u; k < LOADS; k++) { held[k] = key_at(i + k * WORKGROUP_SIZE); }
    for (var k = 0u; k < LOADS; k++) {
      let one = selects(held[k]);
      sums += vec2u(one & 0xffffu, one >> 16u);
    }
  }
  for (; i < end; i += WORKGROUP_SIZE) {
    let one = selects(key_at(i));
    sums += vec2u(one & 0xffffu, one >> 16u);
  }
  if sums.x > 0u { atomicAdd(&before, sums.x); }
  if sums.y > 0u { atomicAdd(&equal, sums.y); }
  workgroupBarrier();
  if invocation == 0u {
    let chunk = params.first_chunk + workgroup.x;
    counts[chunk] = atomicLoad(&before);
    counts[params.chunks + 1u + chunk] = atomicLoad(&equal);
  }
}
