// A key as words of 64 bits: the order of the first words that differ is the order of the keys. The first word is
// that of assembly/rows/words.ts, which explains it; the others are found again from the begin of the key.

#import row_text
#import row_order
#import row_fields
#import row_decimals
#import row_numbers

const WORD_BYTES = 7u;
const MORE_BYTES = 8u;

// A mask of the first bytes of a big-endian word.
fn first_bytes(count: u32) -> u32 {
  if count == 0u { return 0u; }
  return 0xffffffffu << (32u - 8u * min(count, 4u));
}

// Seven bytes and how many these are, with 8 for more.
fn bytes_word(start: u32, to: u32) -> vec2u {
  if start >= to { return vec2u(); }
  let length = to - start;
  let high = bytes_at(start);
  let low = bytes_at(start + 4u);
  if length > WORD_BYTES { return vec2u((low & 0xffffff00u) | MORE_BYTES, high); }
  return vec2u((low & first_bytes(max(length, 4u) - 4u)) | length, high & first_bytes(length));
}

// A word of a key of the row from `begin` to `end`.
//
// `stage`: how many words of the key come before. `prefix`: bytes that all keys have in common; they are left out.
fn key_word(key: u32, stage: u32, prefix: u32, begin: u32, end: u32) -> KeyWord {
  let found = find_key(key, begin, end);
  let flip = vec2u(flip_of(key));
  if of_key(key, COMPARISON) == COMPARES_BYTES {
    let word = bytes_word(found.begin + prefix + WORD_BYTES * stage, found.end);
    return KeyWord(word ^ flip, (word.x & 0xffu) == MORE_BYTES, false);
  }
  var number = number_word(key, stage, found.begin, found.end);
  let invalid = of_key(key, INVALID);
  if invalid != 0u && !is_number(key, number, found.begin, found.end) {
    if stage > 0u { return KeyWord(flip, false, false); }
    return KeyWord(vec2u(select(0xffffffffu, 0u, invalid == INVALID_FIRST)), false, number.unread);
  }
  number.word ^= flip;
  return number;
}
