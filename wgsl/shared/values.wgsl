#if values/index
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
#elif values/word
// A value of one word moves with each key. Values are bound in the same windows as the keys.

#import radix_keys
#constant VALUES         // number of the binding
#constant OUTPUT_VALUES  // number of the binding

const HAS_VALUES = true;

@group(0) @binding(VALUES) var<storage, read> values: array<u32>;
@group(0) @binding(OUTPUT_VALUES) var<storage, read_write> output_values: array<u32>;

fn value_at(at: u32) -> u32 {
  return values[bound_at(at)];
}

// `place` is an index into the bound window of the output.
fn put_value(place: u32, value: u32) {
  output_values[place] = value;
}
#else
// Keys move without values.

const HAS_VALUES = false;

fn value_at(at: u32) -> u32 {
  return 0u;
}

fn put_value(place: u32, value: u32) {}
#end
