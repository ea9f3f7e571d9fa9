// Counts the digits of each workgroup's chunk of keys. src/twins/radix.ts has its twin.
//
// Uses a key, its order, digit, radix_params, radix, and counts_one or counts_two. Constants: WORKGROUP_SIZE
// (invocations, at least DIGITS), FUSED_SCAN (1 where the scatter kernel adds the counts up itself: a row is then a column's counts), PARAMS
// (the binding of the parameters).

@group(0) @binding(0) var<storage, read> input: array<Stored>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(PARAMS) var<uniform> params: Params;

var<workgroup> counters: array<atomic<u32>, DIGITS>;

fn count(key: Key) {
  let image = image_of(key);
  atomicAdd(&counters[digit_at(image, params.shift, MASK)], 1u);
  count_also(image);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let column = params.first_column + workgroup.x;
  if column >= params.columns { return; }
  clear_also(column, invocation);
  if invocation < DIGITS { atomicStore(&counters[invocation], 0u); }
  workgroupBarrier();

  let begin = column * params.chunk;
  let end = min(begin + params.chunk, params.key_count);
  var i = begin + invocation;
  // Eight loads under way at once hide the memory's latency.
  for (; i + 7u * WORKGROUP_SIZE < end; i += 8u * WORKGROUP_SIZE) {
    let k0 = key_at(i);
    let k1 = key_at(i + WORKGROUP_SIZE);
    let k2 = key_at(i + 2u * WORKGROUP_SIZE);
    let k3 = key_at(i + 3u * WORKGROUP_SIZE);
    let k4 = key_at(i + 4u * WORKGROUP_SIZE);
    let k5 = key_at(i + 5u * WORKGROUP_SIZE);
    let k6 = key_at(i + 6u * WORKGROUP_SIZE);
    let k7 = key_at(i + 7u * WORKGROUP_SIZE);
    count(k0);
    count(k1);
    count(k2);
    count(k3);
    count(k4);
    count(k5);
    count(k6);
    count(k7);
  }
  for (; i < end; i += WORKGROUP_SIZE) { count(key_at(i)); }
  workgroupBarrier();

  if invocation < DIGITS {
    let place = select(invocation * params.columns + column, column * DIGITS + invocation, FUSED_SCAN == 1u);
    counts[place] = atomicLoad(&counters[invocation]);
  }
  write_also(column, invocation);
}
