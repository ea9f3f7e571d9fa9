// A value of one word travels with each key. Needs the constant VALUES, the first of its two bindings, which are windows
// like those of the keys, and radix.

const HAS_VALUES = true;

@group(0) @binding(VALUES) var<storage, read> values: array<u32>;
@group(0) @binding(VALUES + 1u) var<storage, read_write> output_values: array<u32>;

fn value_at(at: u32) -> u32 {
  return values[bound_at(at)];
}

// place: within the window.
fn put_value(place: u32, value: u32) {
  output_values[place] = value;
}
