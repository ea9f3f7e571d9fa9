// The local sort of few keys, for the subgroup family. One workgroup sorts all keys in its tile
// (tile_sort.wgsl). An invocation holds KEYS_PER_INVOCATION keys.

#import key
#import radix_keys
#import radix_output
#import written_keys
#import subgroup
#import tile
#import rank_counters
#import rank
#import tile_sort
#import values
#constant WORKGROUP_SIZE
#constant SUBGROUP_SIZE
#constant KEYS_PER_INVOCATION
#constant PARAMS    // number of the binding

@group(0) @binding(PARAMS) var<uniform> params: LocalParams;

struct LocalParams {
  key_count: u32,
  begin: u32,  // the lowest bit to sort by
  end: u32,    // one past the highest bit to sort by
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  let turns = start_subgroups(invocation);

  var keys: TileKeys;
  var values: TileWords;
  var ranks: TileWords;
  let first = first_slot(invocation);
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    keys[i] = MAX_ORDERED;
    if first + i * SUBGROUP_SIZE < params.key_count {
      keys[i] = ordered_of(key_at(first + i * SUBGROUP_SIZE));
      values[i] = value_at(first + i * SUBGROUP_SIZE);
    }
  }

  sort_tile(&keys, &values, &ranks, SortedBits(params.begin, params.end), HAS_VALUES, invocation, turns);

  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < params.key_count { write_key(slot, output_of(slots[slot])); }
  }
  if HAS_VALUES {
    stage_values(&values, &ranks);
    workgroupBarrier();
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      let slot = invocation + i * WORKGROUP_SIZE;
      if slot < params.key_count { put_value(slot, staged_value(slot)); }
    }
  }
}
