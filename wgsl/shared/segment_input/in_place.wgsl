// A segment's keys come from the buffer that they go to.

#import key
#import written_keys/all
#import msd_tile

// Key `at` in its ordered form.
fn ordered_at(at: u32) -> Key {
  return output[at];
}

// Key `at` and its index in the input.
fn numbered_at(at: u32) -> Entry {
  return Entry(ordered_at(at), at);
}
