// How rows are told apart and compared, as words in memory. src/rows/order/order_words.ts writes them.

const TERMINATOR: usize = 0;
const SEPARATOR: usize = 4;
const QUOTES: usize = 8;
const KEY_COUNT: usize = 12;
/** The address of the text. Positions in it count from there. */
const TEXT: usize = 16;
/** The address of the positions at which rows begin, and of the end of the last one, as u32. */
const STARTS: usize = 20;
/** The address of the powers of ten (text/powers.ts). */
const POWERS: usize = 24;
/** Whether rows with equal keys are to be marked. */
const UNIQUE: usize = 28;
const KEYS: usize = 32;

/** Bytes of a key. */
const KEY_BYTES: usize = 56;
const BEGIN_FIELD: usize = 0;
const BEGIN_OFFSET: usize = 4;
const BEGIN_BLANKS: usize = 8;
const ENDING: usize = 12;
const END_FIELD: usize = 16;
const END_BYTES: usize = 20;
const END_BLANKS: usize = 24;
const COMPARISON: usize = 28;
/**
 * 256 bytes that stand for each byte, and 256 that say which are left out; 0 without such a table. Of a key that is
 * compared without case, the characters that are folded: see folded.ts.
 */
const TABLE: usize = 32;
const DESCENDING: usize = 36;
const INVALID: usize = 40;
const REQUIRED: usize = 44;
/** Words that count as no value: the length of each as a byte, then its bytes; then 0. 0 without any. */
const NULL_WORDS: usize = 48;
/** How numbers are written: see numbers.ts. */
const FORM: usize = 52;

/** No separator: fields are separated by blanks. No number of bytes: the whole field. No number of a row. */
export const NONE: u32 = 0xffffffff;

/** Where a key ends: with the row; with its field, of one of three kinds; or somewhere else. */
export const ENDS_WITH_ROW: u32 = 0;
export const ENDS_AT_SEPARATOR: u32 = 1;
export const ENDS_AT_BLANK: u32 = 2;
export const ENDS_WITH_QUOTES: u32 = 3;
export const ENDS_ELSEWHERE: u32 = 4;

/** How a key is compared. */
export const BYTES: u32 = 0;
export const DECIMAL: u32 = 1;
export const HUMAN: u32 = 2;
export const FLOAT: u32 = 3;
export const MONTH: u32 = 4;
export const DATE: u32 = 5;
export const NUMBER: u32 = 6;
export const NATURAL: u32 = 7;
export const FOLDED: u32 = 8;

/** Where a key goes that has no value, or has one that is no number or date. */
export const INVALID_FIRST: u32 = 1;
export const INVALID_LAST: u32 = 2;
export const INVALID_REPORTED: u32 = 3;
/** Added to such a place: a value that is no number or date is reported, as how to compare it was guessed. */
const GUESSED: u32 = 4;

export function terminatorOf(order: usize): u32 {
  return load<u32>(order, TERMINATOR);
}
export function separatorOf(order: usize): u32 {
  return load<u32>(order, SEPARATOR);
}
export function hasQuotes(order: usize): bool {
  return load<u32>(order, QUOTES) !== 0;
}
export function textOf(order: usize): usize {
  return load<u32>(order, TEXT);
}
export function startsOf(order: usize): usize {
  return load<u32>(order, STARTS);
}
export function powersOf(order: usize): usize {
  return load<u32>(order, POWERS);
}
export function marksEqual(order: usize): bool {
  return load<u32>(order, UNIQUE) !== 0;
}

/** The address at which a row begins. */
export function rowBegin(order: usize, row: u32): usize {
  return textOf(order) + load<u32>(load<u32>(order, STARTS) + (row << 2));
}

/** The address after a row's terminator. */
export function nextRow(order: usize, row: u32): usize {
  return textOf(order) + load<u32>(load<u32>(order, STARTS) + (row << 2), 4);
}

/** Where the content of a row ends whose terminator ends at `next`. */
export function contentEnd(order: usize, begin: usize, next: usize): usize {
  const end = next - 1;
  return hasQuotes(order) && end > begin && load<u8>(end - 1) === 13 ? end - 1 : end;
}

/** The address of the key after the last one. */
export function keysEnd(order: usize): usize {
  return keyAt(order, load<u32>(order, KEY_COUNT));
}
export function keyAt(order: usize, number: u32): usize {
  return order + KEYS + <usize>number * KEY_BYTES;
}
export function keyAfter(key: usize): usize {
  return key + KEY_BYTES;
}
export function beginField(key: usize): u32 {
  return load<u32>(key, BEGIN_FIELD);
}
export function beginOffset(key: usize): u32 {
  return load<u32>(key, BEGIN_OFFSET);
}
export function skipsBlanksAtBegin(key: usize): bool {
  return load<u32>(key, BEGIN_BLANKS) !== 0;
}
export function endingOf(key: usize): u32 {
  return load<u32>(key, ENDING);
}
export function endField(key: usize): u32 {
  return load<u32>(key, END_FIELD);
}
export function endBytes(key: usize): u32 {
  return load<u32>(key, END_BYTES);
}
export function skipsBlanksAtEnd(key: usize): bool {
  return load<u32>(key, END_BLANKS) !== 0;
}
export function comparisonOf(key: usize): u32 {
  return load<u32>(key, COMPARISON);
}
/** Whether a key is compared by a string that is derived from it: see derived.ts. */
export function isDerived(key: usize): bool {
  return comparisonOf(key) >= NATURAL;
}
/** Whether the words of a key are those of a string, which say themselves whether the key goes on. */
export function hasStringWords(key: usize): bool {
  return comparisonOf(key) === BYTES || isDerived(key);
}
export function tableOf(key: usize): usize {
  return load<u32>(key, TABLE);
}
/** All bits if the key is in descending order, else none. */
export function flipOf(key: usize): u64 {
  return load<u32>(key, DESCENDING) !== 0 ? <u64>-1 : 0;
}
/** 0 if no key needs a place of its own. */
export function invalidOf(key: usize): u32 {
  return load<u32>(key, INVALID) & ~GUESSED;
}
export function isGuessed(key: usize): bool {
  return (load<u32>(key, INVALID) & GUESSED) !== 0;
}
export function nullWordsOf(key: usize): usize {
  return load<u32>(key, NULL_WORDS);
}
export function formOf(key: usize): u32 {
  return load<u32>(key, FORM);
}
/** Whether a row without the field of the key is reported. */
export function isRequired(key: usize): bool {
  return load<u32>(key, REQUIRED) !== 0;
}
