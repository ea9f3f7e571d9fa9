// How a segmented sort keeps its keys between passes: in two buffers. What moves the keys of a segment moves
// them from one to the other, and last to the even one.

#import key
#import order
#import compared
#import segments
#constant RAW_KEYS  // 1 if the buffers hold raw keys, 0 if they hold their ordered form

@group(0) @binding(2) var<storage, read_write> even_keys: array<Key>;
@group(0) @binding(3) var<storage, read_write> odd_keys: array<Key>;

// The ordered form of key `at`.
fn ordered_in(at: u32, odd: bool) -> Key {
  var key: Key;
  if odd { key = odd_keys[at]; } else { key = even_keys[at]; }
  if RAW_KEYS == 1u { return to_ordered(key); }
  return key;
}

fn put_ordered(at: u32, odd: bool, ordered: Key) {
  var key = ordered;
  if RAW_KEYS == 1u { key = from_ordered(ordered); }
  if odd { odd_keys[at] = key; } else { even_keys[at] = key; }
}

// What is compared of a key in its ordered form.
fn sorted_bits(ordered: Key) -> Key {
  return masked(compared(ordered), params.mask_low, params.mask_high);
}

// Whether a key in its ordered form must go before another one.
fn goes_before(a: Key, b: Key) -> bool {
  return precedes(sorted_bits(a), sorted_bits(b));
}
