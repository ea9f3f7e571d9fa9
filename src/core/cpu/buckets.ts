import type { PlannedWork } from "./work.js";
import { PREFIX_BITS, type SpreadPlaces } from "./workspace.js";

/** The elements that are looked at first, and those that are sampled for buckets. */
const FEW = 2 ** 12;
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
    const digits = 2 ** (end - shift);
    const few = sampledPrefixes(work, Math.min(FEW, count), count, lowest);
    if (mostEqual(few, shift - lowest) * digits <= SKEW * few.length) return undefined;

    const prefixes = sampledPrefixes(work, Math.min(SAMPLE, count), count, lowest);
    // Two adjacent buckets have at least `share` elements, so there are no more buckets than digits.
    const share = (2 * prefixes.length) / (digits - 2);
    const table = new Uint16Array(work.memory.buffer, places.buckets, 2 ** PREFIX_BITS);
    const ends: number[] = [];
    let first = 0;
    const close = (next: number) => {
      table.fill(ends.length, first, next);
      ends.push(lowest + 32 - Math.clz32(first ^ (next - 1)));
      first = next;
    };
    let held = 0;
    for (let i = 0, next = 0; i < prefixes.length; i = next) {
      while (prefixes[next] === prefixes[i]) next++;
      if (held > 0 && held + next - i > share) {
        close(prefixes[i]!);
        held = 0;
      }
      held += next - i;
    }
    close(table.length);
    const inMemory = new Uint8Array(work.memory.buffer, places.buckets + 2 * 2 ** PREFIX_BITS, ends.length);
    inMemory.set(ends);
    return new BucketTable(lowest, Uint8Array.from(ends));
  }
}

/** The prefixes of some elements, at equal distances, in order. */
function sampledPrefixes(
  { form, memory, at }: PlannedWork,
  sampled: number,
  count: number,
  lowest: number,
): Uint32Array {
  const prefixes = new Uint32Array(sampled);
  const words = form.bytes / 4;
  const all = new Uint32Array(memory.buffer, at.elements, count * words);
  for (let i = 0; i < sampled; i++) {
    const place = Math.floor((i * count) / sampled) * words;
    const high = words === 1 ? 0 : all[place + 1]!;
    const low = lowest === 0 || lowest >= 32 ? 0 : high << (32 - lowest);
    const word = lowest >= 32 ? high >>> (lowest - 32) : (all[place]! >>> lowest) | low;
    prefixes[i] = word & (2 ** PREFIX_BITS - 1);
  }
  return prefixes.sort();
}

/** The most of these numbers that are equal above their `shift` lowest bits. They are in order. */
function mostEqual(numbers: Uint32Array, shift: number): number {
  let [first, most] = [0, 0];
  for (let i = 0; i < numbers.length; i++) {
    if (numbers[i]! >>> shift !== numbers[first]! >>> shift) first = i;
    most = Math.max(most, i + 1 - first);
  }
  return most;
}
