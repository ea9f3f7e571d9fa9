// Converts decimals in place, in a count pass that has nothing to count then: a dispatch of its own would cost other
// sorts 2 us. Before the stable passes ("to_forms"), decimals become floats from 1 to 2 in the same order, whose low
// words are their forms (decimals.wgsl); after these ("restored"), decimals again.

#import key
#import decimals
#import radix_pass
#import grid
#constant WORKGROUP_SIZE
#constant LOADS
#constant CONVERTED  // number of the binding

@group(0) @binding(CONVERTED) var<storage, read_write> converted_keys: array<Key>;

// The high word of 1.
const ONE_HIGH = 0x3ff00000u;

fn converted(key: Key, decimals: Decimals) -> Key {
#if decimals/to_forms
  return Key(form_of(key, decimals), ONE_HIGH);
#elif decimals/restored
  return key_of_form(key.x, decimals);
#end
}

// All invocations of the dispatch call it; each converts some keys.
fn convert_keys(grid: Grid, invocation: u32) {
  let decimals = chosen_decimals();
  let stride = grid.size.x * grid.size.y * WORKGROUP_SIZE;
  var at = linear_workgroup(grid) * WORKGROUP_SIZE + invocation;
  // LOADS loads in flight hide the memory's latency.
  var keys: array<Key, LOADS>;
  for (; at + (LOADS - 1u) * stride < params.key_count; at += LOADS * stride) {
    #unroll
    for (var i = 0u; i < LOADS; i++) {
      keys[i] = converted_keys[at + i * stride];
    }
    #unroll
    for (var i = 0u; i < LOADS; i++) {
      converted_keys[at + i * stride] = converted(keys[i], decimals);
    }
  }
  for (; at < params.key_count; at += stride) { converted_keys[at] = converted(converted_keys[at], decimals); }
}
