// Counts the digits of each workgroup's chunk of keys. src/twins/radix.ts has its twin.
//
// Uses key32 or key64, its order, digit and radix. Constants: WORKGROUP_SIZE (invocations, at least DIGITS).

@group(0) @binding(0) var<storage, read> input: array<Key>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;

var<workgroup> counters: array<atomic<u32>, DIGITS>;

fn count(key: Key) {
  atomicAdd(&counters[digit_at(image_of(key), params.shift)], 1u);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  if invocation < DIGITS { atomicStore(&counters[invocation], 0u); }
  workgroupBarrier();

  let begin = workgroup.x * params.chunk;
  let end = min(begin + params.chunk, params.key_count);
  var i = begin + invocation;
  // Eight loads under way at once hide the memory's latency.
  for (; i + 7u * WORKGROUP_SIZE < end; i += 8u * WORKGROUP_SIZE) {
    let k0 = input[i];
    let k1 = input[i + WORKGROUP_SIZE];
    let k2 = input[i + 2u * WORKGROUP_SIZE];
    let k3 = input[i + 3u * WORKGROUP_SIZE];
    let k4 = input[i + 4u * WORKGROUP_SIZE];
    let k5 = input[i + 5u * WORKGROUP_SIZE];
    let k6 = input[i + 6u * WORKGROUP_SIZE];
    let k7 = input[i + 7u * WORKGROUP_SIZE];
    count(k0);
    count(k1);
    count(k2);
    count(k3);
    count(k4);
    count(k5);
    count(k6);
    count(k7);
  }
  for (; i < end; i += WORKGROUP_SIZE) { count(input[i]); }
  workgroupBarrier();

  if invocation < DIGITS { counts[invocation * params.columns + workgroup.x] = atomicLoad(&counters[invocation]); }
}
