// How rows are told apart and compared: words that src/rows/order/order_words.ts writes. They are those of
// assembly/rows/order.ts, so the numbers here are explained there.

@group(0) @binding(2) var<storage, read> order: array<u32>;

const SEPARATOR = 1u;
const KEY_COUNT = 3u;
const POWERS = 6u;  // where the powers of ten begin (assembly/text/powers.ts), if a key is compared as a float
const FIRST_KEY = 8u;
const KEY_WORDS = 14u;

// Of a key.
const BEGIN_FIELD = 0u;
const BEGIN_OFFSET = 1u;
const BEGIN_BLANKS = 2u;
const ENDING = 3u;
const END_FIELD = 4u;
const END_BYTES = 5u;
const END_BLANKS = 6u;
const COMPARISON = 7u;
const TABLE = 8u;  // where its map of bytes begins, which stands for them; 0 for none
const DESCENDING = 9u;
const INVALID = 10u;
const REQUIRED = 11u;

const NONE = 0xffffffffu;
const ENDS_WITH_ROW = 0u;
const ENDS_AT_SEPARATOR = 1u;
const ENDS_AT_BLANK = 2u;
const ENDS_ELSEWHERE = 4u;
const LEFT_OUT = 256u;  // in a map: the byte is not compared
const COMPARES_BYTES = 0u;
const COMPARES_UNITS = 2u;
const COMPARES_FLOATS = 3u;
const COMPARES_MONTHS = 4u;
const COMPARES_DATES = 5u;
const INVALID_FIRST = 1u;
const INVALID_REPORTED = 3u;
const INVALID_PLACES = 3u;  // the bits of these

// Where a key is in a row.
struct Key {
  begin: u32,
  end: u32,
  is_missing: bool,  // whether the row has fields, but not that of the key
}

fn key_count() -> u32 {
  return order[KEY_COUNT];
}

// A word of a key's description.
fn of_key(key: u32, word: u32) -> u32 {
  return order[FIRST_KEY + key * KEY_WORDS + word];
}

// All bits if the key is in descending order, else none.
fn flip_of(key: u32) -> u32 {
  return select(0u, 0xffffffffu, of_key(key, DESCENDING) != 0u);
}
