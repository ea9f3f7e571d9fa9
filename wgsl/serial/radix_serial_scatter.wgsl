// The scatter step of a radix sort's move on software adapters. One dispatch writes all keys, and their
// values, to their places in the output. An invocation writes the keys of one chunk one after another, which
// keeps keys with equal digits in order. It has its own table of the next place for each digit value, so it
// needs no barriers.

#import key
#import digit
#import radix_pass
#import radix_keys
#import radix_output
#import written_keys
#import values
#import digit_start
#import chunk
#import grid
#constant WORKGROUP_SIZE
#constant MASK       // the digit's mask: see digit.wgsl
#constant IN_WINDOW  // 1 if only a window of the output is bound

// For each invocation and digit value: the place of the next key in the bound window of the output, modulo
// 2^32.
var<workgroup> places: array<u32, WORKGROUP_SIZE * DIGITS>;

fn move_chunk(column: u32, own: u32) {
  var start = 0u - params.output_begin;
  for (var digit = 0u; digit < DIGITS; digit++) {
    let of_digit = digit_start(digit, column);
    places[own + digit] = start + of_digit.within;
    start += of_digit.total;
  }

  let end = chunk_range(column).end;
  var i = chunk_range(column).begin;
  for (; i + 3u < end; i += 4u) {
    let k0 = ordered_of(key_at(i));
    let k1 = ordered_of(key_at(i + 1u));
    let k2 = ordered_of(key_at(i + 2u));
    let k3 = ordered_of(key_at(i + 3u));
    place_key(own, i, k0);
    place_key(own, i + 1u, k1);
    place_key(own, i + 2u, k2);
    place_key(own, i + 3u, k3);
  }
  for (; i < end; i++) { place_key(own, i, ordered_of(key_at(i))); }
}

fn place_key(own: u32, at: u32, ordered: Key) {
  let digit = own + digit_at(ordered, params.shift, MASK);
  let place = places[digit];
  places[digit] = place + 1u;
  if IN_WINDOW == 0u || place < params.output_keys {
    write_key(place, output_of(ordered));
    put_value(place, value_at(at));
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  var column = params.first_column + grid.workgroup.x * WORKGROUP_SIZE + invocation;
  while column < chunk_count() {
    move_chunk(column, invocation * DIGITS);
    if !IS_STRIDED { break; }
    column += grid.size.x * WORKGROUP_SIZE;
  }
}
