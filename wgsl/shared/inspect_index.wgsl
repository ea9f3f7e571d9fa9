// A key's index as its value, for the inspection: see inspect.wgsl. Needs the kernel's `params`.

fn value_word(i: u32, word: u32) -> u32 {
  return params.begin + i;
}
