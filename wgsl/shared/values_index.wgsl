// The first pass of a sort of indices: the value that travels with each key is its place in the input. Needs the constant
// VALUES, its binding.

const HAS_VALUES = true;

@group(0) @binding(VALUES) var<storage, read_write> output_values: array<u32>;

fn value_at(at: u32) -> u32 {
  return at;
}

// place: within the window.
fn put_value(place: u32, value: u32) {
  output_values[place] = value;
}
