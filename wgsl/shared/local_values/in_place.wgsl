// Values of one word move within the buffer that holds them.

#constant OUTPUT_VALUES  // number of the binding

@group(0) @binding(OUTPUT_VALUES) var<storage, read_write> output_values: array<u32>;

fn value_at(at: u32) -> u32 {
  return output_values[at];
}

fn put_value(place: u32, value: u32) {
  output_values[place] = value;
}
