// With each copied key goes its index in the input.

#constant VALUES  // number of the binding

@group(0) @binding(VALUES) var<storage, read_write> output_values: array<u32>;

fn move_value(i: u32, index: u32, place: u32) {
  output_values[place] = index;
}
