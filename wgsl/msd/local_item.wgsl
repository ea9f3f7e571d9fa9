// What a local sort sorts: items that tell the order of the keys of a segment.
// - "key": keys alone, in their ordered form. Equal keys are the same, so the sort need not be stable.
// - "index": keys of one word and their indices in the input. Equal keys are ordered by their indices, so the
//   sort is stable although the segments are in no order. At the end, indices become what moves with the keys.
// - "position": for keys with values, of segments whose keys are in the order of the input. An item holds what
//   may differ between the keys of a segment, and below that the key's position in the segment, so equal keys
//   stay in order: the distance from the segment's first key, or the bits that are compared. Values are fetched
//   from their positions at the end.
// - "key_and_position": the same for keys of two words of which all bits may differ, as of remapped floats.

#import key
#import normalization
#import radix_output
#import written_keys
#import tile
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION

// A key in its ordered form, and what moves with it: a value, its index in the input, or nothing.
struct Entry {
  key: Key,
  word: u32,
}

// The bits that choose a bin.
struct BinBits {
  shift: u32,
  mask: u32,
}

// What moves with a key: its index in the input, or a value of one word. Values come from another buffer than
// they go to, or from the same one.
#if local_values/word|index|in_place
#constant OUTPUT_VALUES  // number of the binding

@group(0) @binding(OUTPUT_VALUES) var<storage, read_write> output_values: array<u32>;

fn put_value(place: u32, value: u32) {
  output_values[place] = value;
}
#else
fn put_value(place: u32, value: u32) {}
#end

#if local_values/word
#constant VALUES         // number of the binding

@group(0) @binding(VALUES) var<storage, read> values: array<u32>;
#end

fn value_at(at: u32) -> u32 {
#if local_values/word
  return values[at];
#elif local_values/index
  return at;
#elif local_values/in_place
  return output_values[at];
#else
  return 0u;
#end
}

#if local_item/index
// x: the key in its ordered form; y: its index.
alias Item = vec2u;

// Stays behind all items.
const LAST_ITEM = Item(0xffffffffu);
#elif local_item/key_and_position
struct Item {
  low: u32,
  high: u32,
  position: u32,
}

const LAST_ITEM = Item(0xffffffffu, 0xffffffffu, 0xffffffffu);
#elif local_item/key|position
// A key in its ordered form; or what may differ of it and its position, in as many bits.
alias Item = Key;

const LAST_ITEM = MAX_ORDERED;
#end

// The items. Slots past the last one hold LAST_ITEM.
var<workgroup> slots: array<Item, TILE + KEYS_PER_INVOCATION>;

// Whether keys may be written before it is known that they are in order: not if that takes long, as values are
// fetched from their indices, or if keys and values go through the slots.
#if local_item/key
const WRITES_AHEAD = true;
#else
const WRITES_AHEAD = false;
#end

#if local_item/key|index|key_and_position
#import digit

fn bin_of(entry: Entry, position: u32, bits: BinBits) -> u32 {
  return moved_digit(entry.key, bits.shift, bits.mask);
}
#elif local_item/position
#import compared
#import msd_local_params
#constant POSITION_BITS  // enough for any position in a tile
#constant KEEPS_KEYS     // 0 if a key is known from what is sorted and from its segment
#if normalization/range
#import key_range

// The first key that the segment may have.
var<private> origin: Key;
#end

const POSITION_MASK = (1u << POSITION_BITS) - 1u;

// The lowest bit that may differ.
fn lowest_bit() -> u32 {
  return params.low_bit + unused_bits();
}

// The bits below the number of the segment choose a bin: of the position too, if few bits of keys may differ.
// Those of the stretched key use all bins, as the distance would not.
fn bin_of(entry: Entry, position: u32, bits: BinBits) -> u32 {
  let item = with_position(segment_bits(stretched(entry.key, stretch())), position);
  return word_at(shift_down(item, bits.shift), 0u) & bits.mask;
}

// The bits that are compared of a key, without those that all keys of the segment share.
fn segment_bits(key: Key) -> Key {
  return masked(compared(key), params.mask_low, params.mask_high);
}

fn with_position(differing: Key, position: u32) -> Key {
  return with_low_bits(shift_up(shift_down(differing, lowest_bit()), POSITION_BITS), position);
}
#end

// Must be called before the items of a segment are made.
fn start_segment(number: u32) {
#if local_item/position
#if normalization/range
  origin = first_stretched_to(number << params.segment_shift, key_range);
#end
#end
}

fn item_of(entry: Entry, position: u32) -> Item {
#if local_item/key
  return entry.key;
#elif local_item/index
  return Item(entry.key, entry.word);
#elif local_item/key_and_position
  return Item(entry.key.x, entry.key.y, position);
#elif local_item/position
#if normalization/range
  return with_position(minus(entry.key, origin), position);
#else
  return with_position(segment_bits(entry.key), position);
#end
#end
}

#if local_item/key|position
#import order

fn item_precedes(a: Item, b: Item) -> bool {
  return precedes(a, b);
}

fn first_item(a: Item, b: Item) -> Item {
  return first_of(a, b);
}

fn last_item(a: Item, b: Item) -> Item {
  return last_of(a, b);
}
#elif local_item/index
#import compared
#import msd_local_params
#constant ALL_BITS  // 0 to compare only the bits that the parameters name

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

fn second_if(is_second: bool, a: Item, b: Item) -> Item {
  return select(a, b, is_second);
}
#elif local_item/key_and_position
fn item_precedes(a: Item, b: Item) -> bool {
  let is_lower = (a.low < b.low) | ((a.low == b.low) & (a.position < b.position));
  return (a.high < b.high) | ((a.high == b.high) & is_lower);
}

fn second_if(is_second: bool, a: Item, b: Item) -> Item {
  return Item(
    select(a.low, b.low, is_second),
    select(a.high, b.high, is_second),
    select(a.position, b.position, is_second),
  );
}
#end

#if local_item/index|key_and_position
// Both compare a and b in this order, so that a compiler makes one comparison of a comparator's two.
fn first_item(a: Item, b: Item) -> Item {
  return second_if(item_precedes(a, b), b, a);
}

fn last_item(a: Item, b: Item) -> Item {
  return second_if(item_precedes(a, b), a, b);
}
#end

// Writes the sorted segment.
fn write_segment(
  keys: ptr<function, TileKeys>,
  words: ptr<function, TileWords>,
  begin: u32,
  count: u32,
  invocation: u32,
) {
#if local_item/key
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
#elif local_item/index
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
#elif local_item/key_and_position
  var positions: TileWords;
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let item = slots[invocation + i * WORKGROUP_SIZE];
    (*keys)[i] = key_of(item.low, item.high);
    positions[i] = item.position;
  }
  workgroupBarrier();
  // Values go through the slots of their positions.
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    slots[invocation + i * WORKGROUP_SIZE].low = (*words)[i];
  }
  workgroupBarrier();
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count {
      write_key(begin + slot, output_of(denormalized((*keys)[i])));
      put_value(begin + slot, slots[positions[i]].low);
    }
  }
#elif local_item/position
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
    let first = (*keys)[0];
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      let differing = shift_up(shift_down(items[i], POSITION_BITS), lowest_bit());
#if normalization/range
      (*keys)[i] = plus(origin, differing);
#else
      (*keys)[i] = differing | masked(first, ~params.mask_low, ~params.mask_high);
#end
    }
  }
  fetch_words(words, &positions, count, invocation);
#end
#if local_item/index|position
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count {
      write_key(begin + slot, output_of(denormalized((*keys)[i])));
      put_value(begin + slot, (*words)[i]);
    }
  }
#end
}

#if local_item/position
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
#end
