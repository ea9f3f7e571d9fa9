#if local_item/index
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

#elif local_item/key
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

#elif local_item/position
// The local sort of keys with their values, of segments whose keys are in the order of the input. It sorts items
// that hold what may differ between the keys of a segment, and below that the key's position in the segment. So
// equal keys stay in order. The topmost bits of an item choose its bin: of the position too, if few bits of the
// keys may differ. Keys and values are fetched from their positions at the end.

#import key
#import order
#import compared
#import normalization
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

// As wide as a key.
alias Item = Key;

// Stays behind all items.
const LAST_ITEM = MAX_ORDERED;

const POSITION_MASK = (1u << POSITION_BITS) - 1u;

// Keys and values are fetched through the slots, so the items must be in order.
const WRITES_AHEAD = false;

// The items. Slots past the last one hold LAST_ITEM.
var<workgroup> slots: array<Item, TILE + KEYS_PER_INVOCATION>;

// The lowest bit that may differ.
fn lowest_bit() -> u32 {
  return params.low_bit + unused_bits();
}

fn item_of(entry: Entry, position: u32) -> Item {
  let differing = masked(compared(entry.key), params.mask_low, params.mask_high);
  return with_low_bits(shift_up(shift_down(differing, lowest_bit()), POSITION_BITS), position);
}

fn bin_of(entry: Entry, position: u32, bits: BinBits) -> u32 {
  return word_at(shift_down(item_of(entry, position), bits.shift), 0u) & bits.mask;
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

// Brings each key from its position in the segment to the slot whose item names that position.
fn fetch_keys(keys: ptr<function, TileKeys>, positions: ptr<function, TileWords>, count: u32, invocation: u32) {
  workgroupBarrier();
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count { slots[slot] = (*keys)[i]; }
  }
  workgroupBarrier();
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    if invocation + i * WORKGROUP_SIZE < count { (*keys)[i] = slots[(*positions)[i]]; }
  }
}

// The same for values.
fn fetch_words(words: ptr<function, TileWords>, positions: ptr<function, TileWords>, count: u32, invocation: u32) {
  workgroupBarrier();
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count { slots[slot] = value_as_key((*words)[i]); }
  }
  workgroupBarrier();
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    if invocation + i * WORKGROUP_SIZE < count { (*words)[i] = key_as_value(slots[(*positions)[i]]); }
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
  var items: TileKeys;
  var positions: TileWords;
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    items[i] = slots[invocation + i * WORKGROUP_SIZE];
    positions[i] = word_at(items[i], 0u) & POSITION_MASK;
  }
  if KEEPS_KEYS == 1u {
    fetch_keys(keys, &positions, count, invocation);
  } else {
    let shared_bits = masked((*keys)[0], ~params.mask_low, ~params.mask_high);
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      (*keys)[i] = shared_bits | shift_up(shift_down(items[i], POSITION_BITS), lowest_bit());
    }
  }
  fetch_words(words, &positions, count, invocation);
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count {
      write_key(begin + slot, output_of(denormalized((*keys)[i])));
      put_value(begin + slot, (*words)[i]);
    }
  }
}

#end
