// What goes with each copied key: its index in the input; a value of one word, bound in the same windows as the
// keys; or nothing.

#if moved_values/index|word
#constant VALUES  // number of the binding, or of the first of two

@group(0) @binding(VALUES) var<storage, read_write> output_values: array<u32>;
#end
#if moved_values/word
@group(0) @binding(VALUES + 1u) var<storage, read> values: array<u32>;
#end

fn move_value(i: u32, index: u32, place: u32) {
#if moved_values/index
  output_values[place] = index;
#elif moved_values/word
  output_values[place] = values[i];
#else
  // Nothing goes with it.
#end
}
