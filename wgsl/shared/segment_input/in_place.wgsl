// A segment's keys come from the buffer that they go to.

#import written_keys/all
#import local_values
#import msd_tile

// Key `at` in its ordered form, and what moves with it.
fn entry_at(at: u32) -> Entry {
  return Entry(output[at], value_at(at));
}
