// A key as words of 64 bits: the order of the first words that differ is the order of the keys. The first word
// is that of assembly/rows/words.ts, which explains it; the others are found again from the begin of the key.

#import row_order
#import row_fields
#import row_string
#import row_bytes
#import row_values

// A word of a key of the row from `begin` to `end`.
//
// `stage`: how many words of the key come before. `prefix`: bytes that all keys have in common; they are left
// out.
fn key_word(key: u32, stage: u32, prefix: u32, begin: u32, end: u32) -> KeyWord {
  let place = find_key(key, begin, end);
  var read: KeyWord;
  if of_key(key, COMPARISON) == COMPARES_BYTES {
    let word = bytes_word(key, place.begin, place.end, prefix + WORD_BYTES * stage);
    read = KeyWord(word ^ vec2u(flip_of(key)), (word.x & 0xffu) == MORE_BYTES, false, false);
  } else {
    read = value_word(key, stage, place.begin, place.end);
  }
  read.wrong = read.wrong || (place.is_missing && of_key(key, REQUIRED) != 0u);
  return read;
}
