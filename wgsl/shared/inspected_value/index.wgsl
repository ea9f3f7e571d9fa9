// Each key is inspected with its index as its value.

#import inspect_params

fn value_word(i: u32, word: u32) -> u32 {
  return params.begin + i;
}
