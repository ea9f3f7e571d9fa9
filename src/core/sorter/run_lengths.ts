import type { Words32 } from "../bytes.js";
import type { ElementType, KeyArray } from "../elements.js";
import { float16Rank } from "../float16.js";
import { bytesOf } from "./arrays.js";
import { copier } from "./copier.js";

/**
 * Keeps the first of every run of equal keys, and counts the keys of each run. All NaNs are equal, -0 and +0
 * are not.
 *
 * @param sorted the keys in order. They are overwritten.
 * @param type their type.
 * @returns how many distinct keys are now at the begin of `sorted`, and how often each occurred.
 */
export function runLengthEncode(sorted: KeyArray, type: ElementType): { distinct: number; counts: Words32 } {
  const { length } = sorted;
  if (length === 0) return { distinct: 0, counts: new Uint32Array() };
  const isSame = comparison(sorted, type);
  const bytes = bytesOf(sorted);
  const copyKey = copier(sorted.BYTES_PER_ELEMENT, bytes, bytes);
  // Most arrays have far fewer distinct keys than keys, so the counts grow with what is found.
  let counts = new Uint32Array(Math.min(length, 1024));
  let distinct = 0;
  let begin = 0;
  for (let i = 1; i <= length; i++) {
    if (i < length && isSame(i - 1, i)) continue;
    if (distinct === counts.length) {
      const longer = new Uint32Array(Math.min(length, 2 * distinct));
      longer.set(counts);
      counts = longer;
    }
    copyKey(begin, distinct); // an assignment would change the bits of NaNs
    counts[distinct++] = i - begin;
    begin = i;
  }
  return { distinct, counts: counts.slice(0, distinct) };
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
