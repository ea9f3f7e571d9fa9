import { bytesOf, copier, type Words32 } from "../bytes.js";
import { type ElementType, type KeyArray, mostDistinct } from "../elements.js";
import { float16Rank } from "../float16.js";

/**
 * Keeps the first of every run of equal keys, and counts the keys of each run. All NaNs are equal, -0 and +0
 * are not. It finds the end of a run of n keys by at most n comparisons, and about 2 log2(n) if n is large.
 *
 * @param sorted the keys in order. They are overwritten.
 * @param type their type.
 * @param counts takes how often each distinct key occurs: see `runCounts`.
 * @returns the number of distinct keys, which are now at the begin of `sorted`.
 */
export function runLengthEncode(sorted: KeyArray, type: ElementType, counts: Words32): number {
  const { length } = sorted;
  if (length === 0) return 0;
  const isSame = comparison(sorted, type);
  const bytes = bytesOf(sorted);
  const copyKey = copier(sorted.BYTES_PER_ELEMENT, bytes, bytes);
  let distinct = 0;
  for (let begin = 0; begin < length; ) {
    let end = begin + 1;
    while (end < length && end - begin < SHORT_RUN && isSame(begin, end)) end++;
    if (end - begin === SHORT_RUN) end = endOfRun(end - 1, length, isSame);
    copyKey(begin, distinct); // an assignment would change the bits of NaNs
    counts[distinct++] = end - begin;
    begin = end;
  }
  return distinct;
}

/** Makes an array that takes as many counts as there can be distinct keys. */
export function runCounts(keyCount: number, type: ElementType): Words32 {
  // Systems give memory to pages that are written, so what is not needed of this array is cheap.
  return new Uint32Array(Math.min(keyCount, mostDistinct(type)));
}

/** In runs up to this long, one key after the other is compared. */
const SHORT_RUN = 16;

/** Looks 1, 2, 4, … keys ahead until one differs, and then between the last two of these. */
function endOfRun(begin: number, length: number, isSame: (a: number, b: number) => boolean): number {
  let last = begin;
  let step = 1;
  while (last + step < length && isSame(begin, last + step)) {
    last += step;
    step *= 2;
  }
  let end = Math.min(last + step, length);
  while (end - last > 1) {
    const middle = last + ((end - last) >>> 1);
    if (isSame(begin, middle)) last = middle;
    else end = middle;
  }
  return end;
}

/** Compares the keys at two indices. */
function comparison(keys: KeyArray, { name, order, bytes }: ElementType): (a: number, b: number) => boolean {
  const { buffer, byteOffset, length } = keys;
  if (name === "f16") {
    const bits = new Uint16Array(buffer, byteOffset, length);
    return (a, b) => float16Rank(bits[a]!) === float16Rank(bits[b]!);
  }
  if (order === "float") return (a, b) => Object.is(keys[a], keys[b]);
  if (bytes < 8) return (a, b) => keys[a] === keys[b];
  // To read a bigint is to allocate one.
  const words = new Uint32Array(buffer, byteOffset, 2 * length);
  return (a, b) => words[2 * a] === words[2 * b] && words[2 * a + 1] === words[2 * b + 1];
}
