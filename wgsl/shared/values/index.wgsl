// The value of each key is its index in the input. The first move of a sort with indices uses this.

#constant OUTPUT_VALUES  // number of the binding

const HAS_VALUES = true;

@group(0) @binding(OUTPUT_VALUES) var<storage, read_write> output_values: array<u32>;

fn value_at(at: u32) -> u32 {
  return at;
}

// `place` is an index into the bound window of the output.
fn put_value(place: u32, value: u32) {
  output_values[place] = value;
}
