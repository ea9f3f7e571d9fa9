// Where a workgroup of a segmented sort keeps the slots of its tile. Invocations read slots that are
// KEYS_PER_INVOCATION apart, so one place is left free after as many: their memory banks differ.

#constant WINDOW_KEYS          // keys per window
#constant SHORT_KEYS           // a segment of at most this many keys is sorted with the window that it begins in
#constant KEYS_PER_INVOCATION  // a power of two

// No window has more keys, with those of the segment that it ends in.
const TILE = WINDOW_KEYS + SHORT_KEYS;
// If this many offsets are in a window, most of its segments are empty.
const MANY_OFFSETS = 4u * TILE;
const PLACES = TILE + TILE / KEYS_PER_INVOCATION + 1u;

fn place_of(slot: u32) -> u32 {
  return slot + slot / KEYS_PER_INVOCATION;
}
