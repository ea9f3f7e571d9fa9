#if refined_values/index
// With each copied key goes its index in the input. Each candidate has its own beside it.

#constant VALUES  // number of the first of two bindings

@group(0) @binding(VALUES) var<storage, read_write> output_values: array<u32>;
@group(0) @binding(VALUES + 1u) var<storage, read> candidate_values: array<u32>;

fn refine_value(from_all: bool, i: u32, place: u32) {
  if from_all {
    output_values[place] = i;
  } else {
    output_values[place] = candidate_values[i];
  }
}

#elif refined_values/word
// With each copied key goes a value of one word. Each candidate has its own beside it.

#constant VALUES  // number of the first of three bindings

@group(0) @binding(VALUES) var<storage, read_write> output_values: array<u32>;
@group(0) @binding(VALUES + 1u) var<storage, read> candidate_values: array<u32>;
@group(0) @binding(VALUES + 2u) var<storage, read> values: array<u32>;

fn refine_value(from_all: bool, i: u32, place: u32) {
  if from_all {
    output_values[place] = values[i];
  } else {
    output_values[place] = candidate_values[i];
  }
}

#else
// Keys are copied without values.

fn refine_value(from_all: bool, i: u32, place: u32) {}

#end
