// The local sort of keys alone sorts their ordered forms. Equal keys are the same, so it need not be stable.

#import key
#import order
#import normalization
#import radix_output
#import written_keys
#import digit
#import msd_tile
#import tile
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION

alias Item = Key;

// Stays behind all items.
const LAST_ITEM = MAX_ORDERED;

// Whether keys may be written before it is known that they are in order.
const WRITES_AHEAD = true;

// The items. Slots past the last one hold LAST_ITEM.
var<workgroup> slots: array<Item, TILE + KEYS_PER_INVOCATION>;

fn item_of(entry: Entry, position: u32) -> Item {
  return entry.key;
}

fn bin_of(entry: Entry, position: u32, bits: BinBits) -> u32 {
  return digit_at(stretched(entry.key, stretch()), bits.shift, bits.mask);
}

fn item_precedes(a: Item, b: Item) -> bool {
  return precedes(a, b);
}

fn first_item(a: Item, b: Item) -> Item {
  return first_of(a, b);
}

fn last_item(a: Item, b: Item) -> Item {
  return last_of(a, b);
}

// Writes the sorted segment.
fn write_segment(
  keys: ptr<function, TileKeys>,
  words: ptr<function, TileWords>,
  begin: u32,
  count: u32,
  invocation: u32,
) {
  // Keys of which nothing is subtracted need no test for each: it takes 3% of the local sort of short keys.
  if !normalizes() {
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      let slot = invocation + i * WORKGROUP_SIZE;
      if slot < count { write_key(begin + slot, output_of(slots[slot])); }
    }
    return;
  }
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count { write_key(begin + slot, output_of(denormalized(slots[slot]))); }
  }
}
