// With each copied key goes a value of one word. Values are bound in the same windows as the keys.

#constant VALUES  // number of the first of two bindings

@group(0) @binding(VALUES) var<storage, read_write> output_values: array<u32>;
@group(0) @binding(VALUES + 1u) var<storage, read> values: array<u32>;

fn move_value(i: u32, index: u32, place: u32) {
  output_values[place] = values[i];
}

#default
// Keys are copied without values.

fn move_value(i: u32, index: u32, place: u32) {}
