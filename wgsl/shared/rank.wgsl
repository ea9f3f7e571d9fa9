// Ranks the keys of a tile stably by one digit and exchanges them through workgroup memory into that order.
// Each subgroup holds a consecutive part of the tile and has one counter per digit value. First, each subgroup
// counts its keys of each digit value. Then prefix sums turn each counter into the slot of the first key that
// it counted. Last, each subgroup goes through its keys in order, SUBGROUP_SIZE keys at a time. Ballots find
// the lanes whose keys have the same digit value. The slot of a key is its counter plus the number of lower
// lanes with the same digit value. The counter then advances past the keys of all these lanes.

#import key
#import digit
#import tile
#import rank_counters
#import sum_before
#constant KEYS_PER_INVOCATION

// The keys of the tile in their order by the digit.
var<workgroup> slots: array<Key, TILE>;

// For the digit value that is the invocation's number.
struct DigitCount {
  count: u32,   // keys of the tile with this digit value
  before: u32,  // keys of the tile with a smaller digit value
}

// Writes the keys to `slots`, where they can be read after the next barrier, and the slot of each key to
// `ranks`. `turns` is what `start_subgroups` returned. The counters must have been cleared.
fn rank_tile(
  keys: ptr<function, TileKeys>,
  ranks: ptr<function, TileWords>,
  shift: u32,
  mask: u32,
  invocation: u32,
  turns: u32,
) -> DigitCount {
  count_keys(keys, shift, mask, invocation);
  workgroupBarrier();

  var digit = DigitCount(0u, 0u);
  if invocation < DIGITS { digit.count = counted_keys(invocation); }
  digit.before = sum_before(digit.count, invocation);
  if invocation < DIGITS { place_counters(invocation, digit.before); }
  workgroupBarrier();

  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let key = (*keys)[i];
    let slot = next_slot(moved_digit(key, shift, mask), invocation, turns);
    slots[slot] = key;
    (*ranks)[i] = slot;
  }
  return digit;
}

// Writes the values to the slots of their keys, where they can be read after the next barrier. All keys have
// been read by then, so values need no workgroup memory of their own.
fn stage_values(values: ptr<function, TileWords>, ranks: ptr<function, TileWords>) {
  workgroupBarrier();
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    slots[(*ranks)[i]] = value_as_key((*values)[i]);
  }
}

// Reads the value in a slot.
fn staged_value(slot: u32) -> u32 {
  return key_as_value(slots[slot]);
}
