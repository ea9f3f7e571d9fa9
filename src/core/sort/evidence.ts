import { type ErrorDetails, VerifyError } from "../errors.js";
import type { KeyBits } from "./key.js";

/**
 * What an inspection of all keys and their values finds. The evidence of a sort's input and the evidence of
 * its result show whether the result is correct.
 */
export interface Evidence {
  /** The number of inspected keys, modulo 2^32. */
  readonly seen: number;
  /**
   * The sums of two independent 32-bit hashes of every key with its value, modulo 2^32. They do not depend on
   * the order. Where the values are counts of keys: the sum of the counts, and the sum of the second hashes,
   * each times its count.
   */
  readonly sums: readonly [number, number];
  /** The number of neighbouring keys in the wrong order, modulo 2^32. */
  readonly inversions: number;
  /** The smallest i such that keys i and i + 1 are in the wrong order; undefined if there is none. */
  readonly firstInversion: number | undefined;
}

/** What an inspection by the device finds: the evidence, and more. */
export interface Totals extends Evidence {
  /**
   * The narrowest range that contains every bit in which the keys differ, by their ordered forms; empty if
   * all keys are equal.
   */
  readonly varying: KeyBits;
  /**
   * The sums of the low words and the high words of the keys that count, modulo 2^32. A key of 32 bits
   * or fewer is a low word.
   */
  readonly wordSums: readonly [low: number, high: number];
  /**
   * The number of keys that are not equal to the key before them, modulo 2^32, if only these count: all
   * distinct keys, if the keys are in order. Else 0.
   */
  readonly distinct: number;
}

const details: ErrorDetails = {
  hint: "the input is untouched and no output was written; try another device, or the CPU",
  options: ["device"],
};

/**
 * Checks the result of a sort.
 *
 * @param keyCount the number of keys that were sorted.
 * @param before what the inspection of the input found.
 * @param after what the inspection of the result found, with the same order of keys.
 * @param device the name of the device, for the error.
 * @throws VerifyError unless the result holds the input's keys in order.
 */
export function checkTotals(keyCount: number, before: Evidence, after: Evidence, device: string): void {
  if (before.seen !== keyCount || after.seen !== keyCount) {
    throw new VerifyError(
      `${device} inspected ${before.seen} of ${keyCount} keys before the sort and ${after.seen} after it`,
      details,
    );
  }
  if (after.sums[0] !== before.sums[0] || after.sums[1] !== before.sums[1]) {
    throw new VerifyError(`${device} changed the keys while it sorted them: the checksums differ`, details);
  }
  if (after.firstInversion !== undefined) {
    const { inversions, firstInversion } = after;
    const inversion = `${inversions} pairs of neighbours are out of order, first at index ${firstInversion}`;
    throw new VerifyError(`${device} sorted wrongly: ${inversion}`, details);
  }
}

/**
 * Checks how often each distinct key occurs.
 *
 * @param keyCount the number of all keys.
 * @param all what an inspection found in all keys.
 * @param distinct what it found in the distinct ones with their counts.
 * @throws VerifyError unless these are all keys. Two wrong counts, one by d too great and one by d too small,
 *   go unnoticed with a probability of 2^(k - 32), where 2^k is the greatest power of two that divides d.
 */
export function checkCounts(keyCount: number, all: Evidence, distinct: Evidence, device: string): void {
  const [counted, hashes] = distinct.sums;
  if (counted === keyCount && hashes === all.sums[1]) return;
  throw new VerifyError(
    `${device} counted equal keys wrongly: ${counted} of ${keyCount} keys` +
      (counted === keyCount ? ", but the checksums differ" : ""),
    details,
  );
}

/**
 * Checks distinct keys that were copied from sorted ones.
 *
 * @param count how many were copied.
 * @param sorted what an inspection found in the sorted keys, of which only the first of equal keys counts.
 * @param copied what it found in the copied ones.
 * @throws VerifyError unless these are the first of every run of equal keys.
 */
export function checkDistinct(count: number, sorted: Totals, copied: Totals, device: string): void {
  const counts = [sorted.distinct, copied.seen, copied.distinct];
  const isSame = sorted.wordSums.every((sum, i) => sum === copied.wordSums[i]);
  if (counts.every((other) => other === count) && copied.inversions === 0 && isSame) return;
  throw new VerifyError(
    `${device} dropped the wrong keys: it kept ${count} of ${sorted.distinct} distinct ones, ` +
      `of which ${copied.distinct} differ from the one before`,
    details,
  );
}
