// Rows that were tied before were sorted by their groups and by further words, which are where they were read.

#import row_tie_words
#constant TIES  // number of the binding

@group(0) @binding(TIES) var<storage, read> ties: array<vec4u>;  // place, row, group, unused

fn word_in(place: u32) -> vec2u {
  return words[sorted[place]];
}

fn group_in(place: u32) -> u32 {
  return ties[place].z;
}

fn tie_in(place: u32) -> vec2u {
  return vec2u(ties[place].x, ties[sorted[place]].y);
}
