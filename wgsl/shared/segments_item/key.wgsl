// What a workgroup of a segmented sort sorts if nobody sees the order of equal keys: keys in their ordered form.

#import key
#import order
#import segments_tile

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
