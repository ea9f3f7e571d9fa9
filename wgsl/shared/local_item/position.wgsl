// The local sort of keys of one word with their values, of segments whose keys are in the order of the input.
// It sorts words that hold what may differ between the keys of a segment, and below that the key's position in
// the segment. So equal keys stay in order. The topmost bits of a word choose its bin: of the position too, if
// few bits of the keys may differ. Keys and values are fetched from their positions at the end.

#import compared
#import normalization
#import segment_input
#import radix_output
#import written_keys
#import local_values
#import msd_tile
#import tile
#import msd_local_params
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION
#constant POSITION_BITS  // enough for any position in a tile
#constant KEEPS_KEYS     // 0 if a key is known from what is sorted and from another key of its segment

alias Item = u32;

// Stays behind all items.
const LAST_ITEM: Item = 0xffffffffu;

const POSITION_MASK = (1u << POSITION_BITS) - 1u;

// Keys and values are fetched through the slots, so the items must be in order.
const WRITES_AHEAD = false;

// The items. Slots past the last one hold LAST_ITEM.
var<workgroup> slots: array<Item, TILE + KEYS_PER_INVOCATION>;

fn entry_at(at: u32) -> Entry {
  return Entry(ordered_at(at), value_at(at));
}

fn item_of(entry: Entry, position: u32) -> Item {
  let differing = ((compared(entry.key) >> params.low_bit) & params.item_mask) >> unused_bits();
  return (differing << POSITION_BITS) | position;
}

fn bin_of(entry: Entry, position: u32, bits: BinBits) -> u32 {
  return (item_of(entry, position) >> bits.shift) & bits.mask;
}

fn item_precedes(a: Item, b: Item) -> bool {
  return a < b;
}

fn first_item(a: Item, b: Item) -> Item {
  return min(a, b);
}

fn last_item(a: Item, b: Item) -> Item {
  return max(a, b);
}

// Brings each word from its position in the segment to the slot whose item names that position.
fn fetch(words: ptr<function, TileWords>, items: ptr<function, TileWords>, count: u32, invocation: u32) {
  workgroupBarrier();
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count { slots[slot] = (*words)[i]; }
  }
  workgroupBarrier();
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    if invocation + i * WORKGROUP_SIZE < count { (*words)[i] = slots[(*items)[i] & POSITION_MASK]; }
  }
}

// Writes the sorted segment.
fn write_segment(
  keys: ptr<function, TileKeys>,
  words: ptr<function, TileWords>,
  begin: u32,
  count: u32,
  invocation: u32,
) {
  var items: TileWords;
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    items[i] = slots[invocation + i * WORKGROUP_SIZE];
  }
  if KEEPS_KEYS == 1u {
    fetch(keys, &items, count, invocation);
  } else {
    let at_bottom = unused_bits();
    let fixed = (*keys)[0] & ~((params.item_mask >> at_bottom) << at_bottom);
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
      (*keys)[i] = fixed | ((items[i] >> POSITION_BITS) << at_bottom);
    }
  }
  fetch(words, &items, count, invocation);
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count {
      write_key(begin + slot, output_of(denormalized((*keys)[i])));
      put_value(begin + slot, (*words)[i]);
    }
  }
}
