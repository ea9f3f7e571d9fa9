#if fallback_values/word
// A value of one word moves with each key.

#constant VALUES  // number of the first of two bindings

const HAS_VALUES = true;

@group(0) @binding(VALUES) var<storage, read_write> odd_values: array<atomic<u32>>;
@group(0) @binding(VALUES + 1u) var<storage, read_write> even_values: array<atomic<u32>>;

fn value_at(at: u32, is_odd: bool) -> u32 {
  if is_odd { return atomicLoad(&odd_values[at]); }
  return atomicLoad(&even_values[at]);
}

// Writes a value and returns what it replaces.
fn exchange_value(at: u32, value: u32, is_odd: bool) -> u32 {
  if is_odd { return atomicExchange(&odd_values[at], value); }
  return atomicExchange(&even_values[at], value);
}

#else
// No values move with the keys.

const HAS_VALUES = false;

fn value_at(at: u32, is_odd: bool) -> u32 {
  return 0u;
}

fn exchange_value(at: u32, value: u32, is_odd: bool) -> u32 {
  return 0u;
}

#end
