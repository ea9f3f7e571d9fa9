// Which neighbours of the inspected keys are in the wrong order.

#import key
#import order
#import compared
#import inspected_value
#constant MASK_LOW   // the bits of the compared form that are sorted by: in its low word
#constant MASK_HIGH  // and in its high word
#constant STABLE     // 1 if the values of keys that are equal in these bits must ascend

@group(0) @binding(0) var<storage, read> keys: array<Stored>;

fn key_at(i: u32) -> Key {
  return unpack(keys[stored_at(i)], i);
}

// What the sort compares of a key.
fn form_of(key: Key) -> Key {
  return compared(to_ordered(key));
}

// Whether keys i and i + 1 are in the wrong order. `form` is what the sort compares of key i.
fn is_inversion(i: u32, form: Key) -> bool {
  let after = masked(form_of(key_at(i + 1u)), MASK_LOW, MASK_HIGH);
  let before = masked(form, MASK_LOW, MASK_HIGH);
  if precedes(after, before) { return true; }
  return STABLE == 1u && !precedes(before, after) && value_word(i + 1u, 0u) <= value_word(i, 0u);
}
