// Where a workgroup of a segmented sort keeps the slots of its tile. Invocations read slots that are
// KEYS_PER_INVOCATION apart, so one place is left free after as many: their memory banks differ.

#constant WINDOW_KEYS          // keys per window
#constant SHORT_KEYS           // a segment of at most this many keys is sorted with the window it begins in
#constant KEYS_PER_INVOCATION  // a power of two

// No window has more keys, with those of the segment that it ends in.
const TILE = WINDOW_KEYS + SHORT_KEYS;
// If this many offsets are in a window, most of its segments are empty.
const MANY_OFFSETS = 4u * TILE;
const PLACES = TILE + TILE / KEYS_PER_INVOCATION + 1u;

fn place_of(slot: u32) -> u32 {
  return slot + slot / KEYS_PER_INVOCATION;
}

#if segments_item/key
// What a workgroup of a segmented sort sorts if nobody sees the order of equal keys: their ordered forms.

#import key
#import order

alias Item = Key;

// Stays behind all items.
const LAST_ITEM: Item = MAX_ORDERED;

var<workgroup> tile: array<Key, PLACES>;

// A key that came to a slot.
fn put_key(slot: u32, key: Key) {
  tile[place_of(slot)] = key;
}

fn key_at(slot: u32) -> Key {
  return tile[place_of(slot)];
}

// The slot that the key at a slot came to. It is not kept.
fn source_at(slot: u32) -> u32 {
  return slot;
}

fn put_source(slot: u32, source: u32) {}

fn item_at(slot: u32) -> Item {
  return tile[place_of(slot)];
}

fn put_item(slot: u32, item: Item) {
  tile[place_of(slot)] = item;
}

fn first_item(a: Item, b: Item) -> Item {
  return first_of(a, b);
}

fn last_item(a: Item, b: Item) -> Item {
  return last_of(a, b);
}

// The item that comes first of two, or the one that comes last.
fn kept_item(a: Item, b: Item, first: bool) -> Item {
  return select(last_of(a, b), first_of(a, b), first);
}

#elif segments_item/slot_32|slot_64
// What a workgroup of a segmented sort sorts if the order of equal keys shows: keys of one or two words, each
// with the slot that it came to.

#import key
#import order
#import segments_keys

#if segments_item/slot_32
// x: the key in its ordered form; y: the slot.
alias Item = vec2u;
#else
// xy: the key in its ordered form; z: the slot.
alias Item = vec3u;
#end

// Stays behind all items.
const LAST_ITEM = Item(0xffffffffu);

var<workgroup> tile: array<Key, PLACES>;
var<workgroup> sources: array<u32, PLACES>;

// A key that came to a slot.
fn put_key(slot: u32, key: Key) {
  tile[place_of(slot)] = key;
  sources[place_of(slot)] = slot;
}

fn key_at(slot: u32) -> Key {
  return tile[place_of(slot)];
}

// The slot that the key at a slot came to.
fn source_at(slot: u32) -> u32 {
  return sources[place_of(slot)];
}

fn put_source(slot: u32, source: u32) {
  sources[place_of(slot)] = source;
}

fn item_at(slot: u32) -> Item {
  return Item(tile[place_of(slot)], sources[place_of(slot)]);
}

fn put_item(slot: u32, item: Item) {
#if segments_item/slot_32
  tile[place_of(slot)] = item.x;
  sources[place_of(slot)] = item.y;
#else
  tile[place_of(slot)] = item.xy;
  sources[place_of(slot)] = item.z;
#end
}

fn item_precedes(a: Item, b: Item) -> bool {
  // These operators do not branch, as || and && may.
#if segments_item/slot_32
  let x = sorted_bits(a.x);
  let y = sorted_bits(b.x);
  return precedes(x, y) | ((x == y) & (a.y < b.y));
#else
  let x = sorted_bits(a.xy);
  let y = sorted_bits(b.xy);
  return precedes(x, y) | (all(x == y) & (a.z < b.z));
#end
}

fn first_item(a: Item, b: Item) -> Item {
  return select(b, a, item_precedes(a, b));
}

fn last_item(a: Item, b: Item) -> Item {
  return select(a, b, item_precedes(a, b));
}

// The item that comes first of two, or the one that comes last.
fn kept_item(a: Item, b: Item, first: bool) -> Item {
  return select(b, a, item_precedes(a, b) == first);
}

#end
