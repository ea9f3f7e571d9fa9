// A segment's keys come from the buffer that they go to.

#import key
#import radix_output

// Key `at` in its ordered form.
fn ordered_at(at: u32) -> Key {
  return output[at];
}
