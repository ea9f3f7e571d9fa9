// The words of a key's value, for the inspection: see inspect.wgsl. Needs the constants VALUES, its binding, and VALUE_WORDS.

@group(0) @binding(VALUES) var<storage, read> values: array<u32>;

fn value_word(i: u32, word: u32) -> u32 {
  return values[i * VALUE_WORDS + word];
}
