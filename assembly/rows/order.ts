// How rows are told apart and compared, as words in memory. src/rows/order/order_words.ts writes them.

/**
 * No terminator: rows are records. No separator: fields are separated by blanks. No number of bytes: the whole
 * field. No number of a row.
 */
export const NONE: u32 = 0xffffffff;

/** Where a key ends: with the row; with its field, of one of three kinds; or somewhere else. */
export const ENDS_WITH_ROW: u32 = 0;
export const ENDS_AT_SEPARATOR: u32 = 1;
export const ENDS_AT_BLANK: u32 = 2;
export const ENDS_WITH_QUOTES: u32 = 3;
export const ENDS_ELSEWHERE: u32 = 4;

/**
 * How a key is compared: STORED is a number as memory holds it; from NATURAL on, by a string that is derived.
 */
export const BYTES: u32 = 0;
export const DECIMAL: u32 = 1;
export const HUMAN: u32 = 2;
export const FLOAT: u32 = 3;
export const MONTH: u32 = 4;
export const DATE: u32 = 5;
export const NUMBER: u32 = 6;
export const STORED: u32 = 7;
export const NATURAL: u32 = 8;
export const FOLDED: u32 = 9;

/** Where a key goes that has no value, or has one that is no number or date. */
export const INVALID_FIRST: u32 = 1;
export const INVALID_LAST: u32 = 2;
export const INVALID_REPORTED: u32 = 3;
/** Added to such a place: a value that is no number or date is reported, as how to compare it was guessed. */
const GUESSED: u32 = 4;

@unmanaged
export class Key {
  beginField: u32;
  beginOffset: u32;
  skipsBlanksAtBegin: bool;
  ending: u32;
  endField: u32;
  endBytes: u32;
  skipsBlanksAtEnd: bool;
  comparison: u32;
  /**
   * 256 bytes that stand for each byte, and 256 that say which are left out; 0 without such a table. Of a key
   * that is compared without case, the characters that are folded: see folded.ts.
   */
  table: usize;
  isDescending: bool;
  private place: u32;
  /** Whether a row without the field of the key is reported. */
  isRequired: bool;
  /** Words that count as no value: the length of each as a byte, then its bytes; then 0. 0 without any. */
  nullWords: usize;
  /** How numbers are written: see numbers.ts; or stored: see words.ts. */
  form: u32;

  /** Whether a key is compared by a string that is derived from it: see derived.ts. */
  get isDerived(): bool {
    return this.comparison >= NATURAL;
  }
  /** Whether the words of a key are those of a string, which say themselves whether the key goes on. */
  get hasStringWords(): bool {
    return this.comparison === BYTES || this.isDerived;
  }
  /** All bits if the key is in descending order, else none. */
  get flip(): u64 {
    return this.isDescending ? <u64>-1 : 0;
  }
  /** 0 if no key needs a place of its own. */
  get invalid(): u32 {
    return this.place & ~GUESSED;
  }
  get isGuessed(): bool {
    return (this.place & GUESSED) !== 0;
  }
  get next(): Key {
    return changetype<Key>(changetype<usize>(this) + offsetof<Key>());
  }
}

@unmanaged
export class Order {
  terminator: u32;
  separator: u32;
  hasQuotes: bool;
  keyCount: u32;
  /** The address of the text. Positions in it count from there. */
  text: usize;
  /** The address of the positions at which rows begin, and of the end of the last one, as u32. */
  starts: usize;
  /** The address of the powers of ten (text/powers.ts). */
  powers: usize;
  /** Whether rows with equal keys are to be marked. */
  marksEqual: bool;

  /** The address at which a row begins. */
  rowBegin(row: u32): usize {
    return this.text + load<u32>(this.starts + (row << 2));
  }
  /** The address after a row's terminator. */
  nextRow(row: u32): usize {
    return this.text + load<u32>(this.starts + (row << 2), 4);
  }
  /** Where the content of a row ends whose terminator ends at `next`. */
  contentEnd(begin: usize, next: usize): usize {
    if (this.terminator === NONE) return next;
    const end = next - 1;
    return this.hasQuotes && end > begin && load<u8>(end - 1) === 13 ? end - 1 : end;
  }
  /** The keys come after the members, from a multiple of 4 on. */
  keyAt(number: u32): Key {
    return changetype<Key>(changetype<usize>(this) + 32 + <usize>number * offsetof<Key>());
  }
  /** Whether a key is one of the order, and not what follows the last one. */
  has(key: Key): bool {
    return changetype<usize>(key) < changetype<usize>(this.keyAt(this.keyCount));
  }
}
