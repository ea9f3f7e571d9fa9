// Keys that are compared byte by byte.

// Bytes in a word, and the count that says that more follow.
const WORD_BYTES = 7u;
const MORE_BYTES = 8u;

// What two keys have in common from some byte on.
struct InCommon {
  bytes: u32,
  differ: bool,  // whether one of them goes on
}
