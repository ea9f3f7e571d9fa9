import { foldedRanges } from "./case_folding.js";
import type { IgnoredBytes, KernelKey } from "./row_order.js";

/** Bytes of the table of a key: see assembly/rows/order.ts. */
export const TABLE_BYTES = 512;

/** The most bytes of the words that count as no value, with one more for each; and of one of them. */
export const MOST_NULL_BYTES = TABLE_BYTES - 1;
export const LONGEST_NULL_WORD = 255;

/** The codes of assembly/rows/natural.ts. */
const TILDE_CODE = 3;
const DIGIT_CODE = 4;
const FIRST_CODE = 11;

const TILDE = 126;

/** For each byte its code in natural order: ~, then digits, which have one code, then letters, then others. */
function naturalCodes(): Uint8Array {
  const codes = new Uint8Array(256).fill(DIGIT_CODE);
  codes[TILDE] = TILDE_CODE;
  const bytes = Array.from(codes, (_, byte) => byte).filter((byte) => byte !== TILDE && !isDigit(byte));
  const inOrder = [...bytes.filter(isLetter), ...bytes.filter((byte) => !isLetter(byte))];
  for (const [rank, byte] of inOrder.entries()) codes[byte] = FIRST_CODE + rank;
  return codes;
}

const isDigit = (byte: number) => /\d/.test(String.fromCharCode(byte));
const isLetter = (byte: number) => /[A-Za-z]/.test(String.fromCharCode(byte));

/** The layout of assembly/rows/folded.ts. */
const PAGES = 2048;
const PAGE = 64;

let table: Uint8Array | undefined;

/**
 * How far each character lies from the one that Unicode's simple case folding maps it to: for each page of 64
 * code points the number of its distances, then these, as 32-bit integers. Pages without any share the first
 * ones.
 */
export function foldTable(): Uint8Array {
  if (table) return table;
  const pages = new Map<number, Int32Array>();
  for (const [first, last, step, distance] of foldedRanges) {
    for (let code = first; code <= last; code += step) {
      const number = Math.floor(code / PAGE);
      const page = pages.get(number) ?? new Int32Array(PAGE);
      pages.set(number, page);
      page[code % PAGE] = distance;
    }
  }
  table = new Uint8Array(PAGES + 4 * PAGE * (pages.size + 1));
  for (const [i, [number, page]] of [...pages].entries()) {
    table[number] = i + 1;
    table.set(new Uint8Array(page.buffer), PAGES + 4 * PAGE * (i + 1));
  }
  return table;
}

/**
 * For each byte the one that stands for it, or its code in natural order, then for each byte whether it is left
 * out; undefined if none changes.
 */
export function mapOf({ compare, foldCase, ignore }: KernelKey): Uint8Array | undefined {
  const isNatural = compare === "natural";
  const isMapped = (compare === "bytes" || compare === "human") && (foldCase || ignore);
  if (!isNatural && !isMapped) return undefined;
  const table = new Uint8Array(TABLE_BYTES);
  const codes = isNatural ? naturalCodes() : undefined;
  for (let byte = 0; byte < 256; byte++) {
    const folded = foldCase && byte >= 97 && byte <= 122 ? byte - 32 : byte;
    table[byte] = codes?.[folded] ?? folded;
    table[256 + byte] = Number(ignore !== undefined && isIgnored(byte, ignore));
  }
  return table;
}

function isIgnored(byte: number, ignore: IgnoredBytes): boolean {
  if (ignore === "nonprinting") return byte < 32 || byte > 126;
  return !/[\dA-Za-z \t\n]/.test(String.fromCharCode(byte));
}

/** The words that count as no value: see assembly/rows/order.ts. */
export function nullTable({ nullWords = [] }: KernelKey): Uint8Array | undefined {
  const words = nullWords.map((word) => Buffer.from(word)).filter(({ length }) => length > 0);
  if (words.length === 0) return undefined;
  return Buffer.concat([...words.flatMap((word) => [Buffer.of(word.length), word]), Buffer.of(0)]);
}
