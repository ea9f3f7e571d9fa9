// Which rows are tied after some words of their keys were sorted: those whose words and groups equal those of a
// neighbour in the order. A group has the rows whose words were equal before.
//
// Either all rows were sorted by the first words of their keys, and the sort has moved the words, or rows that
// were tied before were sorted by their groups and by further words, which are where they were read. A uniform
// says which, so that one kernel is compiled for both.

#constant WORKGROUP_SIZE
#constant ROWS_PER_INVOCATION
#constant PARAMS  // number of the binding

struct TieParams {
  count: u32,    // rows
  chunks: u32,   // one per workgroup
  flip: u32,     // all bits if the words are in descending order, else none
  of_ties: u32,  // 1 if the rows were tied before
}

@group(0) @binding(0) var<storage, read> sorted: array<u32>;   // for each place, which of the rows is there
@group(0) @binding(1) var<storage, read> words: array<vec2u>;
// Place, row, group, unused. Of all rows nothing is read, so any buffer serves.
@group(0) @binding(2) var<storage, read> ties: array<vec4u>;
@group(0) @binding(PARAMS) var<uniform> params: TieParams;

const CHUNK_ROWS = WORKGROUP_SIZE * ROWS_PER_INVOCATION;

fn word_in(place: u32) -> vec2u {
  var i = place;
  if params.of_ties == 1u { i = sorted[place]; }
  return words[i];
}

fn group_in(place: u32) -> u32 {
  if params.of_ties == 1u { return ties[place].z; }
  return 0u;
}

// The tie in a place: its place among all rows, its row.
fn tie_in(place: u32) -> vec2u {
  let row = sorted[place];
  if params.of_ties == 1u { return vec2u(ties[place].x, ties[row].y); }
  return vec2u(place, row);
}

// Whether the row in a place is tied with the one before it.
fn is_like_last(place: u32) -> bool {
  if place == 0u || place >= params.count { return false; }
  return all(word_in(place) == word_in(place - 1u)) && group_in(place) == group_in(place - 1u);
}

// Of a place: 1 if its row is tied with another one, and 2^16 more if it is the first one of its group.
fn tie_counts(place: u32) -> u32 {
  let is_first = !is_like_last(place);
  if is_first && !is_like_last(place + 1u) { return 0u; }
  return select(1u, 0x10001u, is_first);
}
