// Sorts a tile digit by digit, least significant first, in workgroup memory.

#import digit
#import tile
#import rank_counters
#import rank
#constant SUBGROUP_SIZE
#constant KEYS_PER_INVOCATION

// The bits to sort by. There is at least one digit, even if they are none.
struct SortedBits {
  begin: u32,  // the lowest bit
  end: u32,    // one past the highest bit
}

// Sorts the keys that the invocations hold, from `first_slot` on. They are then in `slots`, after a barrier,
// and `ranks` has the slots to which values must move (stage_values). `turns` is what `start_subgroups`
// returned.
fn sort_tile(
  keys: ptr<function, TileKeys>,
  values: ptr<function, TileWords>,
  ranks: ptr<function, TileWords>,
  bits: SortedBits,
  has_values: bool,
  invocation: u32,
  turns: u32,
) {
  let first = first_slot(invocation);
  var shift = bits.begin;
  loop {
    let after = digit_end(shift, bits.end);
    clear_counters(invocation);
    rank_tile(keys, ranks, shift, (1u << (after - shift)) - 1u, invocation, turns);
    workgroupBarrier();
    shift = after;
    if shift >= bits.end { break; }
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      (*keys)[i] = slots[first + i * SUBGROUP_SIZE];
    }
    if has_values {
      stage_values(values, ranks);
      workgroupBarrier();
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        (*values)[i] = staged_value(first + i * SUBGROUP_SIZE);
      }
    }
  }
}
