// All rows were sorted by the first words of their keys; the sort has moved the words.

#import row_tie_words

fn word_in(place: u32) -> vec2u {
  let unused = sorted[place]; // so that every kernel has this binding
  return words[place];
}

fn group_in(place: u32) -> u32 {
  return 0u;
}

// The tie in a place: its place among all rows, its row.
fn tie_in(place: u32) -> vec2u {
  return vec2u(place, sorted[place]);
}
