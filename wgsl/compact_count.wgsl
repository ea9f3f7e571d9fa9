// The count step of a compaction: one dispatch counts the keys that are kept of each chunk. A workgroup
// counts one chunk. An invocation looks at every WORKGROUP_SIZE-th key of the chunk.

#import compact_keys
#import kept
#constant WORKGROUP_SIZE

@group(0) @binding(1) var<storage, read_write> counts: array<u32>;   // one per chunk

// This many loads in flight hide the memory's latency.
const FLIGHT = 8u;

var<workgroup> kept_keys: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  if invocation == 0u { atomicStore(&kept_keys, 0u); }
  workgroupBarrier();
  let begin = workgroup.x * params.chunk;
  let end = min(begin + params.chunk, params.key_count);
  var count = 0u;
  var i = begin + invocation;
  for (; i + (FLIGHT - 1u) * WORKGROUP_SIZE < end; i += FLIGHT * WORKGROUP_SIZE) {
    for (var k = 0u; k < FLIGHT; k++) {
      let at = i + k * WORKGROUP_SIZE;
      count += select(0u, 1u, is_kept(at, key_at(at)));
    }
  }
  for (; i < end; i += WORKGROUP_SIZE) { count += select(0u, 1u, is_kept(i, key_at(i))); }
  atomicAdd(&kept_keys, count);
  workgroupBarrier();
  if invocation == 0u { counts[params.first_chunk + workgroup.x] = atomicLoad(&kept_keys); }
}
