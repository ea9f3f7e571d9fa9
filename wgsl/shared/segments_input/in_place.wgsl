// The keys to sort are in the even buffer.

#import key
#import segments_keys

// The ordered form of key `at`.
fn input_at(at: u32) -> Key {
  return ordered_in(at, false);
}
