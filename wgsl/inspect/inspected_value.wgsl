#if inspected_value/index
// Each key is inspected with its index as its value.

#import inspect_params

fn value_word(i: u32, word: u32) -> u32 {
  return params.begin + i;
}

#elif inspected_value/word
// Each key is inspected with the words of its value.

#constant VALUES       // number of the binding
#constant VALUE_WORDS  // words per value

@group(0) @binding(VALUES) var<storage, read> values: array<u32>;

fn value_word(i: u32, word: u32) -> u32 {
  return values[i * VALUE_WORDS + word];
}

#else
// Keys are inspected without values.

fn value_word(i: u32, word: u32) -> u32 {
  return 0u;
}

#end
