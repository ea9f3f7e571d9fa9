// What an invocation of msd_local.wgsl holds of a segment.

#import key
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION

const TILE = WORKGROUP_SIZE * KEYS_PER_INVOCATION;

alias TileKeys = array<Key, KEYS_PER_INVOCATION>;
alias TileWords = array<u32, KEYS_PER_INVOCATION>;

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
