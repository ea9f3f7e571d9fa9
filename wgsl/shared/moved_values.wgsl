#if moved_values/index
// With each copied key goes its index in the input.

#constant VALUES  // number of the binding

@group(0) @binding(VALUES) var<storage, read_write> output_values: array<u32>;

fn move_value(i: u32, index: u32, place: u32) {
  output_values[place] = index;
}

#elif moved_values/word
// With each copied key goes a value of one word. Values are bound in the same windows as the keys.

#constant VALUES  // number of the first of two bindings

@group(0) @binding(VALUES) var<storage, read_write> output_values: array<u32>;
@group(0) @binding(VALUES + 1u) var<storage, read> values: array<u32>;

fn move_value(i: u32, index: u32, place: u32) {
  output_values[place] = values[i];
}

#else
// Keys are copied without values.

fn move_value(i: u32, index: u32, place: u32) {}

#end
