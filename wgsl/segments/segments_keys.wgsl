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

#if segments_input/apart
// The keys to sort are in a buffer that the sort does not write, or have fewer than 32 bits.

#constant INPUT  // number of the binding

@group(0) @binding(INPUT) var<storage, read> input: array<Stored>;

// The ordered form of key `at`.
fn input_at(at: u32) -> Key {
  return to_ordered(unpack(input[stored_at(at)], at));
}

#elif segments_input/in_place
// The keys to sort are in the even buffer.

// The ordered form of key `at`.
fn input_at(at: u32) -> Key {
  return ordered_in(at, false);
}

#end

// A value of one word may move with each key, in two buffers like the keys.
#if segments_values/index|word
#constant VALUES  // number of the first of two bindings

const HAS_VALUES = true;

@group(0) @binding(VALUES) var<storage, read_write> even_values: array<u32>;
@group(0) @binding(VALUES + 1u) var<storage, read_write> odd_values: array<u32>;
#else
const HAS_VALUES = false;
#end

// The value of key `at` before it has moved: where it is in the input, or a word of the even buffer.
fn value_at(at: u32) -> u32 {
#if segments_values/index
  return at;
#elif segments_values/word
  return even_values[at];
#else
  return 0u;
#end
}

// A value that has been put.
fn value_in(at: u32, odd: bool) -> u32 {
#if segments_values/index|word
  if odd { return odd_values[at]; }
  return even_values[at];
#else
  return 0u;
#end
}

fn put_value(at: u32, odd: bool, value: u32) {
#if segments_values/index|word
  if odd { odd_values[at] = value; } else { even_values[at] = value; }
#end
}
