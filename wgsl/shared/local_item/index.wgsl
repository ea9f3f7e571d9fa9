// The local sort of keys of one word with their indices in the input. Equal keys are ordered by their indices,
// so it is stable although the segments are in no order. At the end, indices become what moves with the keys.

#import key
#import compared
#import normalization
#import radix_output
#import written_keys
#import local_values
#import digit
#import msd_tile
#import tile
#import msd_local_params
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION
#constant ALL_BITS  // 0 to compare only the bits that the parameters name

// x: the key in its ordered form; y: its index.
alias Item = vec2u;

// Stays behind all items.
const LAST_ITEM = Item(0xffffffffu);

// Values are fetched from their indices, which takes long, so the keys must be in order.
const WRITES_AHEAD = false;

// The items. Slots past the last one hold LAST_ITEM.
var<workgroup> slots: array<Item, TILE + KEYS_PER_INVOCATION>;

fn item_of(entry: Entry, position: u32) -> Item {
  return Item(entry.key, entry.word);
}

fn bin_of(entry: Entry, position: u32, bits: BinBits) -> u32 {
  return digit_at(stretched(entry.key, stretch()), bits.shift, bits.mask);
}

// The bits of a key that are compared.
fn compared_bits(key: Key) -> u32 {
  if ALL_BITS == 1u { return compared(key); }
  return compared(key) & params.mask_low;
}

fn item_precedes(a: Item, b: Item) -> bool {
  let x = compared_bits(a.x);
  let y = compared_bits(b.x);
  // These operators do not branch, as || and && may.
  return (x < y) | ((x == y) & (a.y < b.y));
}

fn first_item(a: Item, b: Item) -> Item {
  return select(b, a, item_precedes(a, b));
}

fn last_item(a: Item, b: Item) -> Item {
  return select(a, b, item_precedes(a, b));
}

// Writes the sorted segment.
fn write_segment(
  keys: ptr<function, TileKeys>,
  words: ptr<function, TileWords>,
  begin: u32,
  count: u32,
  invocation: u32,
) {
  // All values are loaded before any is stored, so that the loads are in flight at once.
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count {
      let item = slots[slot];
      (*keys)[i] = item.x;
      (*words)[i] = value_at(item.y);
    }
  }
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count {
      write_key(begin + slot, output_of(denormalized((*keys)[i])));
      put_value(begin + slot, (*words)[i]);
    }
  }
}
