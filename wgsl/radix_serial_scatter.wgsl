// Moves each invocation's own chunk of keys to their places, one key after the other, which keeps equal digits in
// order. For software adapters. src/twins/radix.ts has its twin.
//
// Uses a key, its order, digit, radix_params, radix, one of the values modules and scanned. Constants: WORKGROUP_SIZE (invocations),
// IN_WINDOW (1 where the output is bound in windows), PARAMS (the binding of the parameters).

@group(0) @binding(0) var<storage, read> input: array<Stored>;
@group(0) @binding(1) var<storage, read_write> output: array<Key>;
@group(0) @binding(PARAMS) var<uniform> params: Params;

// Where the invocation's next key of each digit goes.
var<workgroup> places: array<u32, WORKGROUP_SIZE * DIGITS>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let column = params.first_column + global.x;
  if column >= params.columns { return; }
  let own = invocation * DIGITS;
  var start = 0u - params.output_begin;
  for (var digit = 0u; digit < DIGITS; digit++) {
    let of_digit = digit_start(digit, column);
    places[own + digit] = start + of_digit.within;
    start += of_digit.total;
  }

  let begin = min(column * params.chunk, params.key_count);
  let end = min(begin + params.chunk, params.key_count);
  var i = begin;
  for (; i + 3u < end; i += 4u) {
    let k0 = image_of(key_at(i));
    let k1 = image_of(key_at(i + 1u));
    let k2 = image_of(key_at(i + 2u));
    let k3 = image_of(key_at(i + 3u));
    place_key(own, i, k0);
    place_key(own, i + 1u, k1);
    place_key(own, i + 2u, k2);
    place_key(own, i + 3u, k3);
  }
  for (; i < end; i++) { place_key(own, i, image_of(key_at(i))); }
}

fn place_key(own: u32, at: u32, image: Key) {
  let digit = own + digit_at(image, params.shift, MASK);
  let place = places[digit];
  places[digit] = place + 1u;
  if IN_WINDOW == 0u || place < params.output_keys {
    output[place] = key_of(image);
    put_value(place, value_at(at));
  }
}
