// The count step of a compaction: one dispatch counts the keys that are kept of each chunk, and finds the first
// of them. A workgroup looks at one chunk, and an invocation at every WORKGROUP_SIZE-th key of it.

#import key
#import compact_keys
#import kept
#constant WORKGROUP_SIZE
#constant FLIGHT  // loads in flight, which hide the memory's latency

// For each chunk: the keys that are kept, and the index of the first of them among all keys, or NONE.
@group(0) @binding(1) var<storage, read_write> chunks: array<vec2u>;

var<workgroup> kept_keys: atomic<u32>;
var<workgroup> first_kept: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  if invocation == 0u {
    atomicStore(&kept_keys, 0u);
    atomicStore(&first_kept, NONE);
  }
  workgroupBarrier();
  let begin = workgroup.x * params.chunk;
  let end = min(begin + params.chunk, window_keys());
  var count = 0u;
  var first = NONE;
  var i = begin + invocation;
  for (; i + (FLIGHT - 1u) * WORKGROUP_SIZE < end; i += FLIGHT * WORKGROUP_SIZE) {
    var found: array<Key, FLIGHT>;
    var before: array<Key, FLIGHT>;
    for (var k = 0u; k < FLIGHT; k++) { // unroll
      found[k] = key_at(i + k * WORKGROUP_SIZE);
      before[k] = key_before(i + k * WORKGROUP_SIZE);
    }
    for (var k = 0u; k < FLIGHT; k++) { // unroll
      let at = i + k * WORKGROUP_SIZE;
      let kept = is_kept(at, found[k], before[k]);
      count += select(0u, 1u, kept);
      first = min(first, select(NONE, at, kept));
    }
  }
  for (; i < end; i += WORKGROUP_SIZE) {
    let kept = is_kept(i, key_at(i), key_before(i));
    count += select(0u, 1u, kept);
    first = min(first, select(NONE, i, kept));
  }
  if count != 0u {
    atomicAdd(&kept_keys, count);
    atomicMin(&first_kept, params.begin + first);
  }
  workgroupBarrier();
  if invocation == 0u {
    chunks[params.first_chunk + workgroup.x] = vec2u(atomicLoad(&kept_keys), atomicLoad(&first_kept));
  }
}
