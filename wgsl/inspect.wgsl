// What must be equal before and after a sort, and what must be zero after it: two order-independent sums over
// the keys' hashes, and the number of neighbours out of order. And how many keys were looked at, lest a device that
// does nothing passes. src/sort/inspect.ts plans it and reads the
// totals; src/twins/inspect.ts is its twin.
//
// Uses key32 or key64, and its order. Constants: WORKGROUP_SIZE (invocations).

struct Params {
  key_count: u32,
  stride: u32,    // invocations in the whole grid: each takes every stride-th key
}

struct Totals {
  sum_a: atomic<u32>,
  sum_b: atomic<u32>,
  inversions: atomic<u32>,        // neighbours i, i + 1 in the wrong order
  first_inversion: atomic<u32>,   // the least such i, counted down from 2^32 - 1 so that zero means none
  seen: atomic<u32>,              // keys
}

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read_write> totals: Totals;
@group(0) @binding(2) var<uniform> params: Params;

var<workgroup> sum_a: atomic<u32>;
var<workgroup> sum_b: atomic<u32>;
var<workgroup> seen: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(global_invocation_id) global: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  if invocation == 0u {
    atomicStore(&sum_a, 0u);
    atomicStore(&sum_b, 0u);
    atomicStore(&seen, 0u);
  }
  workgroupBarrier();

  var a = 0u;
  var b = 0u;
  var count = 0u;
  var inversions = 0u;
  var first = 0u;
  for (var i = global.x; i < params.key_count; i += params.stride) {
    let key = keys[i];
    a += hash(key, 0x9e3779b9u);
    b += hash(key, 0x7f4a7c15u);
    count += 1u;
    if i + 1u < params.key_count && precedes(to_ordered(keys[i + 1u]), to_ordered(key)) {
      inversions += 1u;
      first = max(first, ~i);
    }
  }
  atomicAdd(&sum_a, a);
  atomicAdd(&sum_b, b);
  atomicAdd(&seen, count);
  if inversions > 0u {
    atomicAdd(&totals.inversions, inversions);
    atomicMax(&totals.first_inversion, first);
  }
  workgroupBarrier();
  if invocation == 0u {
    atomicAdd(&totals.sum_a, atomicLoad(&sum_a));
    atomicAdd(&totals.sum_b, atomicLoad(&sum_b));
    atomicAdd(&totals.seen, atomicLoad(&seen));
  }
}
