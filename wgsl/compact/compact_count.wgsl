// The count step of a compaction: one dispatch counts the keys that are kept of each chunk, and finds the first
// of them. A workgroup looks at one chunk, and an invocation at every WORKGROUP_SIZE-th vector of its keys.

#import key
#import compact_keys
#import compact_vectors
#import subgroup_reduction
#constant WORKGROUP_SIZE
#constant LOADS       // vectors in flight, which hide the memory's latency
#constant VECTOR_KEYS

// For each chunk: the keys that are kept, and the index of the first of them among all keys, or NONE.
@group(0) @binding(1) var<storage, read_write> chunks: array<vec2u>;

var<workgroup> kept_keys: atomic<u32>;
var<workgroup> first_kept: atomic<u32>;

// Keys that an invocation keeps, and the first of them, or NONE.
var<private> count: u32;
var<private> first: u32;

fn inspect_key(i: u32, key: Key, before: Key) {
  let kept = is_kept(i, key, before);
  count += select(0u, 1u, kept);
  first = min(first, select(NONE, i, kept));
}

fn inspect_vector(i: u32, loaded: array<Key, VECTOR_KEYS>, before: Key) {
  var last = before;
  #unroll
  for (var k = 0u; k < VECTOR_KEYS; k++) {
    inspect_key(i + k, loaded[k], last);
    last = loaded[k];
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  if invocation == 0u {
    atomicStore(&kept_keys, 0u);
    atomicStore(&first_kept, NONE);
  }
  workgroupBarrier();
  let begin = workgroup.x * params.chunk;
  let end = min(begin + params.chunk, window_keys());
  count = 0u;
  first = NONE;
  const STEP = VECTOR_KEYS * WORKGROUP_SIZE;
  var i = begin + VECTOR_KEYS * invocation;
  for (; i + (LOADS - 1u) * STEP + VECTOR_KEYS <= end; i += LOADS * STEP) {
    var loaded: array<array<Key, VECTOR_KEYS>, LOADS>;
    var before: array<Key, LOADS>;
    #unroll
    for (var v = 0u; v < LOADS; v++) {
      loaded[v] = keys_at(i + v * STEP);
      before[v] = key_before(i + v * STEP);
    }
    #unroll
    for (var v = 0u; v < LOADS; v++) {
      inspect_vector(i + v * STEP, loaded[v], before[v]);
    }
  }
  for (; i + VECTOR_KEYS <= end; i += STEP) {
    inspect_vector(i, keys_at(i), key_before(i));
  }
  // The keys behind the last whole vector.
  for (; i < end; i++) {
    inspect_key(i, key_at(i), key_before(i));
  }
  let kept = sum_of_subgroup(count);
  let least = least_of_subgroup(first);
  if speaks_for_subgroup() && kept != 0u {
    atomicAdd(&kept_keys, kept);
    atomicMin(&first_kept, params.begin + least);
  }
  workgroupBarrier();
  if invocation == 0u {
    chunks[params.first_chunk + workgroup.x] = vec2u(atomicLoad(&kept_keys), atomicLoad(&first_kept));
  }
}
