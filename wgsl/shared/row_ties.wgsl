// Which rows are tied after some words of their keys were sorted: those whose words and groups equal those of a
// neighbour in the order. A group has the rows whose words were equal before.

#import row_tie_words
#import row_ties_before
#constant WORKGROUP_SIZE
#constant ROWS_PER_INVOCATION

const CHUNK_ROWS = WORKGROUP_SIZE * ROWS_PER_INVOCATION;

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
