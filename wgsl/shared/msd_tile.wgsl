// What msd_local.wgsl knows of a key of its tile, and of the bins.

#import key

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
