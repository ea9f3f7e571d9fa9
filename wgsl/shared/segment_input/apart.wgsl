// A segment's keys come from another buffer than they go to.

#import key
#import order
#import msd_tile
#constant INPUT      // number of the binding
#constant RAW_INPUT  // 1 if the input holds raw keys, 0 if it holds their ordered form

@group(0) @binding(INPUT) var<storage, read> input: array<Key>;

// Key `at` in its ordered form.
fn ordered_at(at: u32) -> Key {
  if RAW_INPUT == 1u { return to_ordered(input[at]); }
  return input[at];
}

// Key `at` and its index in the input.
fn numbered_at(at: u32) -> Entry {
  return Entry(ordered_at(at), at);
}
