// The order of two rows of a text, by all keys.

#import row_order
#import row_fields
#import row_bytes
#import row_values
#constant MOST_STAGES  // words of a number that are compared at most

const BEFORE = 0u;
const EQUAL = 1u;
const AFTER = 2u;
const UNKNOWN = 3u;

fn order_of(is_less: bool, key: u32) -> u32 {
  return select(AFTER, BEFORE, is_less != (flip_of(key) != 0u));
}

// Two rows are read by the same code in a loop, as drivers take long to compile it twice.
fn compare_keys(key: u32, begins: vec2u, ends: vec2u) -> u32 {
  var starts_of = vec2u();
  var ends_of = vec2u();
  for (var side = 0u; side < 2u; side++) {
    let place = find_key(key, begins[side], ends[side]);
    starts_of[side] = place.begin;
    ends_of[side] = place.end;
  }
  if of_key(key, COMPARISON) == COMPARES_BYTES {
    let compared = compare_bytes(key, starts_of, ends_of);
    if compared == 0 { return EQUAL; }
    return order_of(compared < 0, key);
  }
  for (var stage = 0u; stage < MOST_STAGES; stage++) {
    var low = vec2u();
    var high = vec2u();
    var more = false;
    for (var side = 0u; side < 2u; side++) {
      let read = value_word(key, stage, starts_of[side], ends_of[side]);
      low[side] = read.word.x;
      high[side] = read.word.y;
      more = more || read.more;
    }
    if high.x != high.y { return select(AFTER, BEFORE, high.x < high.y); }
    if low.x != low.y { return select(AFTER, BEFORE, low.x < low.y); }
    if !more { return EQUAL; }
  }
  return UNKNOWN;
}

fn compare_rows(begins: vec2u, ends: vec2u) -> u32 {
  for (var key = 0u; key < key_count(); key++) {
    let compared = compare_keys(key, begins, ends);
    if compared != EQUAL { return compared; }
  }
  return EQUAL;
}
