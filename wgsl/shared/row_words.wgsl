// A key as words of 64 bits: the order of the first words that differ is the order of the keys. The first word is
// that of assembly/rows/words.ts, which explains it; the others are found again from the begin of the key.

#import row_order
#import row_fields
#import row_string
#import row_bytes
#import row_decimals
#import row_kinds

// A word of a key of the row from `begin` to `end`.
//
// `stage`: how many words of the key come before. `prefix`: bytes that all keys have in common; they are left out.
fn key_word(key: u32, stage: u32, prefix: u32, begin: u32, end: u32) -> KeyWord {
  let found = find_key(key, begin, end);
  let flip = vec2u(flip_of(key));
  if of_key(key, COMPARISON) == COMPARES_BYTES {
    let word = bytes_word(key, found.begin, found.end, prefix + WORD_BYTES * stage);
    return KeyWord(word ^ flip, (word.x & 0xffu) == MORE_BYTES, false);
  }
  var number = value_word(key, stage, found.begin, found.end);
  let invalid = of_key(key, INVALID);
  if invalid != 0u && !is_value(key, number, found.begin, found.end) {
    if stage > 0u { return KeyWord(flip, false, false); }
    return KeyWord(vec2u(select(0xffffffffu, 0u, invalid == INVALID_FIRST)), false, number.unread);
  }
  number.word ^= flip;
  return number;
}
