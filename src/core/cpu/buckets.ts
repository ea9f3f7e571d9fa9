import type { PlannedWork } from "./work.js";
import { PREFIX_BITS, type SpreadPlaces } from "./workspace.js";

/** The elements that are looked at. */
const SAMPLE = 2 ** 14;

/** Digits divide elements evenly enough if none has so many times the mean. */
const SKEW = 8;

/** The bits of a digit: from `shift` to `end` - 1. `begin` is the lowest bit that decides the order. */
interface Digit {
  readonly begin: number;
  readonly shift: number;
  readonly end: number;
}

/**
 * Buckets of adjacent values that have about as many elements each, where some digits would have far more than
 * others: of floats, which differ in few exponents, and of clusters. A sample says where they begin, as in
 * W. Frazer and A. McKellar, "Samplesort", JACM 1970.
 */
export class BucketTable {
  /** The lowest bit of the prefixes. */
  readonly shift: number;
  /** The bit above which the elements of each bucket are equal. */
  readonly ends: Uint8Array;

  private constructor(shift: number, ends: Uint8Array) {
    this.shift = shift;
    this.ends = ends;
  }

  /**
   * Makes the table in the memory that the kernels work in.
   *
   * @param count the elements that were read, of which a sample is taken.
   * @returns undefined if the digit divides them evenly enough, or if they differ in too few bits.
   */
  static of(
    work: PlannedWork,
    places: SpreadPlaces,
    count: number,
    { begin, shift, end }: Digit,
  ): BucketTable | undefined {
    const lowest = end - PREFIX_BITS;
    if (lowest < begin) return undefined;
    const sampled = Math.min(SAMPLE, count);
    const prefixes = prefixesOf(work, count, sampled, lowest);
    const digits = new Uint32Array(2 ** (end - shift));
    for (let i = 0; i < prefixes.length; i++) digits[i >>> (shift - lowest)]! += prefixes[i]!;
    if (Math.max(...digits) * digits.length <= SKEW * sampled) return undefined;

    // Two adjacent buckets have at least `share` elements, so there are no more buckets than digits.
    const share = (2 * sampled) / (digits.length - 2);
    const table = new Uint16Array(work.memory.buffer, places.buckets, 2 ** PREFIX_BITS);
    const ends: number[] = [];
    let [first, held] = [0, 0];
    const close = (next: number) => {
      table.fill(ends.length, first, next);
      ends.push(lowest + 32 - Math.clz32(first ^ (next - 1)));
      [first, held] = [next, 0];
    };
    for (let prefix = 0; prefix < prefixes.length; prefix++) {
      const count = prefixes[prefix]!;
      if (held > 0 && held + count > share) close(prefix);
      held += count;
    }
    close(prefixes.length);
    const inMemory = new Uint8Array(work.memory.buffer, places.buckets + 2 * 2 ** PREFIX_BITS, ends.length);
    inMemory.set(ends);
    return new BucketTable(lowest, Uint8Array.from(ends));
  }
}

/** How many of some elements, at equal distances, have each prefix. */
function prefixesOf({ form, memory, at }: PlannedWork, count: number, sampled: number, lowest: number) {
  const prefixes = new Uint16Array(2 ** PREFIX_BITS);
  const words = form.bytes / 4;
  const all = new Uint32Array(memory.buffer, at.elements, count * words);
  for (let i = 0; i < sampled; i++) {
    const place = Math.floor((i * count) / sampled) * words;
    const high = words === 1 ? 0 : all[place + 1]!;
    const low = lowest === 0 || lowest >= 32 ? 0 : high << (32 - lowest);
    const word = lowest >= 32 ? high >>> (lowest - 32) : (all[place]! >>> lowest) | low;
    prefixes[word & (prefixes.length - 1)]!++;
  }
  return prefixes;
}
