// Counts the digits of each invocation's own chunk of keys, one key after the other. For software adapters: no
// barrier, no atomic, nothing shared. src/twins/radix.ts has its twin.
//
// Uses a key, its order, digit, radix_params and radix. Constants: WORKGROUP_SIZE (invocations), PARAMS (the binding of the parameters).

@group(0) @binding(0) var<storage, read> input: array<Stored>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(PARAMS) var<uniform> params: Params;

var<workgroup> counters: array<u32, WORKGROUP_SIZE * DIGITS>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let column = params.first_column + global.x;
  if column >= params.columns { return; }
  let own = invocation * DIGITS;
  for (var digit = 0u; digit < DIGITS; digit++) { counters[own + digit] = 0u; }

  let begin = min(column * params.chunk, params.key_count);
  let end = min(begin + params.chunk, params.key_count);
  var i = begin;
  for (; i + 3u < end; i += 4u) {
    let k0 = image_of(key_at(i));
    let k1 = image_of(key_at(i + 1u));
    let k2 = image_of(key_at(i + 2u));
    let k3 = image_of(key_at(i + 3u));
    counters[own + digit_at(k0, params.shift, MASK)] += 1u;
    counters[own + digit_at(k1, params.shift, MASK)] += 1u;
    counters[own + digit_at(k2, params.shift, MASK)] += 1u;
    counters[own + digit_at(k3, params.shift, MASK)] += 1u;
  }
  for (; i < end; i++) { counters[own + digit_at(image_of(key_at(i)), params.shift, MASK)] += 1u; }

  for (var digit = 0u; digit < DIGITS; digit++) {
    counts[digit * params.columns + column] = counters[own + digit];
  }
}
