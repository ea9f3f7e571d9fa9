// Moves each invocation's own chunk of keys to their places, one key after the other, which keeps equal digits in
// order. For software adapters. src/twins/radix.ts has its twin.
//
// Uses key32 or key64, its order, digit and radix. Constants: WORKGROUP_SIZE (invocations).

@group(0) @binding(0) var<storage, read> input: array<Key>;
@group(0) @binding(1) var<storage, read_write> output: array<Key>;
@group(0) @binding(2) var<storage, read> counts: array<u32>;   // where a column's keys start within the digit
@group(0) @binding(3) var<storage, read> totals: array<u32>;   // keys of each digit
@group(0) @binding(4) var<uniform> params: Params;

// Where the invocation's next key of each digit goes.
var<workgroup> places: array<u32, WORKGROUP_SIZE * DIGITS>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let column = global.x;
  if column >= params.columns { return; }
  let own = invocation * DIGITS;
  var start = 0u;
  for (var digit = 0u; digit < DIGITS; digit++) {
    places[own + digit] = start + counts[digit * params.columns + column];
    start += totals[digit];
  }

  let begin = min(column * params.chunk, params.key_count);
  let end = min(begin + params.chunk, params.key_count);
  var i = begin;
  for (; i + 3u < end; i += 4u) {
    let k0 = image_of(input[i]);
    let k1 = image_of(input[i + 1u]);
    let k2 = image_of(input[i + 2u]);
    let k3 = image_of(input[i + 3u]);
    place_key(own, k0);
    place_key(own, k1);
    place_key(own, k2);
    place_key(own, k3);
  }
  for (; i < end; i++) { place_key(own, image_of(input[i])); }
}

fn place_key(own: u32, image: Key) {
  let digit = own + digit_at(image, params.shift);
  let place = places[digit];
  places[digit] = place + 1u;
  output[place] = key_of(image);
}
