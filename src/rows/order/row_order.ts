import type { ElementType } from "../../core/elements.js";
import type { ByteOrder } from "../../core/items/item.js";

/**
 * How the rows of a text are told apart and ordered. It is plain data. The keys are those of sort(1), as
 * POSIX defines them, with bytes in the place of characters; rows whose keys are all equal keep their order.
 */
export interface RowOrder {
  /** The byte that ends a row: 10, a line feed; 13, a carriage return, as of old Macs; or 0. */
  readonly terminator: 10 | 13 | 0;
  /**
   * The byte between two fields. If undefined, a field begins with the blanks before it (spaces, tabs and
   * line feeds), and ends before the next blank.
   */
  readonly separator: number | undefined;
  /**
   * Whether a field may be enclosed in double quotes, as RFC 4180 defines it: separators and terminators in
   * it are then bytes like others, and two quotes stand for one. The key is what is enclosed. A carriage
   * return before the terminator does not belong to the last field.
   */
  readonly quotes: boolean;
  /** The keys: the first decides, then the second, … Without one, the whole row is the key. */
  readonly keys: readonly RowKey[];
}

/** A key of a row: a part of it, and how that is compared. */
export interface RowKey {
  /** Where the key begins. */
  readonly begin: KeyBegin;
  /** Where the key ends. Undefined: at the end of the row. */
  readonly end?: KeyEnd | undefined;
  /** How the key is compared. */
  readonly compare: RowComparison;
  /**
   * Whether lower-case letters of ASCII are compared as upper-case ones. Only for bytes, for natural order, and
   * for units ("human").
   */
  readonly foldCase?: boolean | undefined;
  /** Bytes that are not compared. Only for bytes, and for natural order. */
  readonly ignore?: IgnoredBytes | undefined;
  /** Whether the row with the larger key comes first. */
  readonly descending?: boolean | undefined;
  /**
   * Where rows go whose key is no number or date, in either direction; or that they are an InputError. First
   * come those without a value, which are equal: the key is empty, NaN ("number"), or one of `nullWords`. Then
   * come those whose value does not fit, in the ascending order of their bytes. Undefined: as in sort(1), where
   * such a key is 0, or before all numbers ("float", "number"). Only for numbers, months and dates.
   */
  readonly invalid?: InvalidPlace | undefined;
  /**
   * Whether `compare` was guessed. Then a value that does not fit shows that the guess is wrong: it is no value
   * to be put first or last. Only with `invalid`.
   */
  readonly guessed?: boolean | undefined;
  /**
   * Values that count as none. Together they have up to 511 bytes, with one more for each. Only with `invalid`.
   */
  readonly nullWords?: readonly string[] | undefined;
  /** How numbers are written. Default: with a point, and without marks of thousands. Only for "number". */
  readonly form?: NumberForm | undefined;
  /**
   * Whether a row that has fields, but not that of the key, is an InputError. Else such a key is empty. Only
   * with `quotes`.
   */
  readonly required?: boolean | undefined;
  /** What the column of the key is called, which errors then say instead of its number. Only with `quotes`. */
  readonly name?: string | undefined;
}

/** How numbers are written. */
export interface NumberForm {
  /** The byte before the decimals. Default: a point. */
  readonly point?: number | undefined;
  /** A byte that may stand between groups of three digits before the point. Default: none. */
  readonly thousands?: number | undefined;
}

/** Where a key begins. */
export interface KeyBegin {
  /** The number of the field, from 0. A row that lacks the field has an empty key. */
  readonly field: number;
  /** Bytes after the begin of the field, but not beyond the end of the row. */
  readonly offset: number;
  /** Whether blanks at the begin of the field are left out before the bytes are counted. */
  readonly skipBlanks?: boolean | undefined;
}

/** Where a key ends. */
export interface KeyEnd {
  /** The number of the field that the key ends in, from 0. */
  readonly field: number;
  /** The bytes of the field that belong to the key. Undefined: all. */
  readonly bytes?: number | undefined;
  /** Whether blanks at the begin of that field are left out before its bytes are counted. */
  readonly skipBlanks?: boolean | undefined;
}

/**
 * How keys are compared: byte by byte; as numbers of any length, with or without a sign and an exponent, or
 * infinite; as decimal numbers of any length, without exponents (`sort -n`); as numbers with a unit, such as
 * 4K, first by the unit (`sort -h`); as floating-point numbers of 64 bits (`sort -g`); by the first three
 * letters as a month (`sort -M`); as dates of ISO 8601, with or without times, in UTC unless they name a zone;
 * in natural order, in which file9 goes before file10 (`sort -V`); as text without regard to case, by Unicode's
 * simple case folding of UTF-8. Bytes that are no UTF-8 are compared as they are.
 */
export type RowComparison =
  | "bytes"
  | "number"
  | "decimal"
  | "human"
  | "float"
  | "month"
  | "date"
  | "natural"
  | "nocase";

/** Where rows go whose key is no number, or that they are an error. */
export type InvalidPlace = "first" | "last" | "error";

/**
 * All but letters, digits and blanks (`sort -d`), or control characters and bytes from 127 on (`sort -i`).
 */
export type IgnoredBytes = "punctuation" | "nonprinting";

/**
 * What kernels sort by: the order of rows of text, or that of records, which have one length and no terminator.
 */
export interface KernelOrder extends Omit<RowOrder, "terminator" | "keys"> {
  readonly terminator: RowOrder["terminator"] | undefined;
  readonly keys: readonly KernelKey[];
}

/** A key of rows or of records. */
export type KernelKey = RowKey | StoredKey;

/** A key that is a number as memory holds it, at the same place of each record. */
export interface StoredKey extends Omit<RowKey, "compare"> {
  readonly compare: "stored";
  readonly stored: { readonly type: ElementType; readonly byteOrder: ByteOrder };
}
