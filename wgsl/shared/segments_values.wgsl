#if segments_values/index
// The value of each key is its index in the input.

#constant VALUES  // number of the first of two bindings

const HAS_VALUES = true;

@group(0) @binding(VALUES) var<storage, read_write> even_values: array<u32>;
@group(0) @binding(VALUES + 1u) var<storage, read_write> odd_values: array<u32>;

fn value_at(at: u32) -> u32 {
  return at;
}

// A value that has been put.
fn value_in(at: u32, odd: bool) -> u32 {
  if odd { return odd_values[at]; }
  return even_values[at];
}

fn put_value(at: u32, odd: bool, value: u32) {
  if odd { odd_values[at] = value; } else { even_values[at] = value; }
}

#elif segments_values/word
// A value of one word moves with each key, in two buffers like the keys.

#constant VALUES  // number of the first of two bindings

const HAS_VALUES = true;

@group(0) @binding(VALUES) var<storage, read_write> even_values: array<u32>;
@group(0) @binding(VALUES + 1u) var<storage, read_write> odd_values: array<u32>;

fn value_at(at: u32) -> u32 {
  return even_values[at];
}

// A value that has been put.
fn value_in(at: u32, odd: bool) -> u32 {
  if odd { return odd_values[at]; }
  return even_values[at];
}

fn put_value(at: u32, odd: bool, value: u32) {
  if odd { odd_values[at] = value; } else { even_values[at] = value; }
}

#else
// Keys move without values.

const HAS_VALUES = false;

fn value_at(at: u32) -> u32 {
  return 0u;
}

fn value_in(at: u32, odd: bool) -> u32 {
  return 0u;
}

fn put_value(at: u32, odd: bool, value: u32) {}

#end
