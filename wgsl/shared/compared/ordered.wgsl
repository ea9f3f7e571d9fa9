// Keys are compared by their ordered form. So all keys with different bits differ.

#import key

// What is compared of a key in its ordered form.
fn compared(ordered: Key) -> Key {
  return ordered;
}
