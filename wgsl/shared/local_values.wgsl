#if local_values/in_place
// Values of one word move within the buffer that holds them.

#constant OUTPUT_VALUES  // number of the binding

@group(0) @binding(OUTPUT_VALUES) var<storage, read_write> output_values: array<u32>;

fn value_at(at: u32) -> u32 {
  return output_values[at];
}

fn put_value(place: u32, value: u32) {
  output_values[place] = value;
}

#elif local_values/index
// What moves with a key is its index in the input.

#constant OUTPUT_VALUES  // number of the binding

@group(0) @binding(OUTPUT_VALUES) var<storage, read_write> output_values: array<u32>;

fn value_at(at: u32) -> u32 {
  return at;
}

fn put_value(place: u32, value: u32) {
  output_values[place] = value;
}

#elif local_values/word
// Values of one word move from one buffer to another.

#constant VALUES         // number of the binding
#constant OUTPUT_VALUES  // number of the binding

@group(0) @binding(VALUES) var<storage, read> values: array<u32>;
@group(0) @binding(OUTPUT_VALUES) var<storage, read_write> output_values: array<u32>;

fn value_at(at: u32) -> u32 {
  return values[at];
}

fn put_value(place: u32, value: u32) {
  output_values[place] = value;
}

#else
// Keys move without values.

fn value_at(at: u32) -> u32 {
  return 0u;
}

fn put_value(place: u32, value: u32) {}

#end
