// Numbers with a unit, such as 4K, as in assembly/rows/words.ts: the unit goes before the number.

#import row_text
#import row_order
#import row_decimals

const HUMAN_DIGITS = 15u;
const HUMAN_BITS = 18u;
const UNIT_COUNT = 10u;
const UNITS = array<u32, UNIT_COUNT>(75u, 77u, 71u, 84u, 80u, 69u, 90u, 89u, 82u, 81u);  // KMGTPEZYRQ
const LOWER_K = 107u;

// 1 for K, 2 for M, …; 0 for no unit.
fn unit_of(letter: u32) -> u32 {
  var unit = u32(letter == LOWER_K);
  for (var i = 0u; i < UNIT_COUNT; i++) {
    if UNITS[i] == letter { unit = i + 1u; }
  }
  return unit;
}

fn human_word(key: u32, stage: u32, start: u32, end: u32) -> KeyWord {
  var first = skip_blanks(start, end);
  if first < end && byte_at(first) == MINUS { first += 1u; }
  var last = skip_digits(first, end);
  if last < end && byte_at(last) == POINT { last = skip_digits(last + 1u, end); }
  var unit = 0u;
  if last < end && is_nonzero(first, last, false) {
    let table = of_key(key, TABLE);
    var letter = byte_at(last);
    if table != 0u { letter = order[table + letter]; }
    unit = unit_of(letter);
  }
  return unit_word(stage, start, end, unit, HUMAN_DIGITS, HUMAN_BITS);
}
