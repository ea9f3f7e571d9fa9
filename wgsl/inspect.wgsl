// What must be equal before and after a sort, and what must be zero after it: two order-independent sums over the hashes of
// the keys with their values, and the number of neighbours out of order. How many keys were looked at, lest a device that
// does nothing passes. And in which bits the keys differ, for whoever plans their sort. src/sort/inspect.ts plans it and
// reads the totals; src/twins/inspect.ts is its twin.
//
// Uses a key, its order, hash32 or hash64, mix, and one of the inspect modules. Constants: WORKGROUP_SIZE (invocations),
// VALUE_WORDS (of the value that goes with each key, or 0), MASK_LOW and MASK_HIGH (the bits of an image that decide),
// STABLE (1 where keys equal in these bits must stand in the order of their values), PARAMS (the binding of the parameters).

struct Params {
  key_count: u32,    // in the window that is bound
  stride: u32,       // invocations in the whole grid: each takes every stride-th key
  begin: u32,        // keys before the window
  neighbours: u32,   // keys of the window that have a right neighbour, which is bound even where it is the next window's
}

struct Totals {
  sum_a: atomic<u32>,
  sum_b: atomic<u32>,
  inversions: atomic<u32>,        // neighbours i, i + 1 in the wrong order
  first_inversion: atomic<u32>,   // the least such i, counted down from 2^32 - 1 so that zero means none
  seen: atomic<u32>,              // keys
  ones_low: atomic<u32>,          // bits that are set in some image
  ones_high: atomic<u32>,
  zeros_low: atomic<u32>,         // bits that are not set in some image
  zeros_high: atomic<u32>,
}

@group(0) @binding(0) var<storage, read> keys: array<Stored>;
@group(0) @binding(1) var<storage, read_write> totals: Totals;
@group(0) @binding(PARAMS) var<uniform> params: Params;

var<workgroup> sum_a: atomic<u32>;
var<workgroup> sum_b: atomic<u32>;
var<workgroup> seen: atomic<u32>;
var<workgroup> ones: array<atomic<u32>, 2>;
var<workgroup> zeros: array<atomic<u32>, 2>;

fn key_at(i: u32) -> Key {
  return unpack(keys[stored_at(i)], i);
}

fn is_inversion(i: u32, image: Key) -> bool {
  let after = masked(to_ordered(key_at(i + 1u)), MASK_LOW, MASK_HIGH);
  let before = masked(image, MASK_LOW, MASK_HIGH);
  if precedes(after, before) { return true; }
  return STABLE == 1u && !precedes(before, after) && value_word(i + 1u, 0u) <= value_word(i, 0u);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(global_invocation_id) global: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  if invocation == 0u {
    atomicStore(&sum_a, 0u);
    atomicStore(&sum_b, 0u);
    atomicStore(&seen, 0u);
    for (var word = 0u; word < 2u; word++) {
      atomicStore(&ones[word], 0u);
      atomicStore(&zeros[word], 0u);
    }
  }
  workgroupBarrier();

  var a = 0u;
  var b = 0u;
  var count = 0u;
  var inversions = 0u;
  var first = 0u;
  var set_bits = Key();
  var clear_bits = Key();
  for (var i = global.x; i < params.key_count; i += params.stride) {
    let key = key_at(i);
    let image = to_ordered(key);
    var hash_a = hash(key, 0x9e3779b9u);
    var hash_b = hash(key, 0x7f4a7c15u);
    for (var word = 0u; word < VALUE_WORDS; word++) {
      hash_a = mix(hash_a ^ value_word(i, word));
      hash_b = mix(hash_b ^ value_word(i, word));
    }
    a += hash_a;
    b += hash_b;
    count += 1u;
    set_bits |= image;
    clear_bits |= ~image;
    if i < params.neighbours && is_inversion(i, image) {
      inversions += 1u;
      first = max(first, ~(params.begin + i));
    }
  }
  atomicAdd(&sum_a, a);
  atomicAdd(&sum_b, b);
  atomicAdd(&seen, count);
  atomicOr(&ones[0], word_at(set_bits, 0u));
  atomicOr(&zeros[0], word_at(clear_bits, 0u));
  if KEY_BITS == 64u {
    atomicOr(&ones[1], word_at(set_bits, 1u));
    atomicOr(&zeros[1], word_at(clear_bits, 1u));
  }
  if inversions > 0u {
    atomicAdd(&totals.inversions, inversions);
    atomicMax(&totals.first_inversion, first);
  }
  workgroupBarrier();
  if invocation == 0u {
    atomicAdd(&totals.sum_a, atomicLoad(&sum_a));
    atomicAdd(&totals.sum_b, atomicLoad(&sum_b));
    atomicAdd(&totals.seen, atomicLoad(&seen));
    atomicOr(&totals.ones_low, atomicLoad(&ones[0]));
    atomicOr(&totals.ones_high, atomicLoad(&ones[1]));
    atomicOr(&totals.zeros_low, atomicLoad(&zeros[0]));
    atomicOr(&totals.zeros_high, atomicLoad(&zeros[1]));
  }
}
