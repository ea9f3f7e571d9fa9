// Sorts listed segments that fit a tile, each by one workgroup (tile_sort.wgsl). The host does not know how
// many are listed, so a workgroup goes through the list in steps of the number of workgroups.

#import key
#import grid
#import segments
#import segments_keys
#import subgroup
#import tile
#import rank_counters
#import rank
#import tile_sort
#constant WORKGROUP_SIZE
#constant SUBGROUP_SIZE
#constant KEYS_PER_INVOCATION
#constant LIST         // which list to work off: see segments_lister.wgsl

@group(0) @binding(1) var<storage, read> lists: array<u32>;

fn sort_segment(begin: u32, count: u32, invocation: u32, turns: u32) {
  var keys: TileKeys;
  var values: TileWords;
  var ranks: TileWords;
  let first = first_slot(invocation);
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    keys[i] = MAX_ORDERED;
    if first + i * SUBGROUP_SIZE < count {
      keys[i] = input_at(begin + first + i * SUBGROUP_SIZE);
      values[i] = value_at(begin + first + i * SUBGROUP_SIZE);
    }
  }

  let bits = SortedBits(params.bit_begin, params.bit_end);
  sort_tile(&keys, &values, &ranks, bits, HAS_VALUES, invocation, turns);

  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count { put_ordered(begin + slot, false, slots[slot]); }
  }
  if HAS_VALUES {
    stage_values(&values, &ranks);
    workgroupBarrier();
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      let slot = invocation + i * WORKGROUP_SIZE;
      if slot < count { put_value(begin + slot, false, staged_value(slot)); }
    }
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let turns = start_subgroups(invocation);
  let capacity = select(params.medium, params.small, LIST == 1u);
  let listed = min(lists[LIST], capacity);
  for (var at = linear_workgroup(grid); at < listed; at += grid.size.x * grid.size.y) {
    let number = lists[4u + 4u * params.chunks + select(params.small, 0u, LIST == 1u) + at];
    let begin = offset_at(number);
    sort_segment(begin, min(offset_at(number + 1u) - begin, TILE), invocation, turns);
    workgroupBarrier();
  }
}
