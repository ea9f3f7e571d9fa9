import type { ElementType, KeyArray } from "../elements.js";
import { InputError } from "../errors.js";
import { type Stream, stream, zipfRank } from "./random.js";

/**
 * A kind of input, of any type, that can be made piece by piece: a key depends on its index, the number of keys and
 * the seed alone, so files larger than memory can be written, and the same call always makes the same keys.
 */
export interface Distribution {
  readonly name: string;
  /** What the keys are like, in a few words. */
  readonly summary: string;
  /**
   * Fills `into` with keys of a type, those from index `start` on, of `count` in all.
   *
   * @param seed 0 … 2^32 - 1.
   */
  fill(into: KeyArray, type: ElementType, start: number, count: number, seed: number): void;
}

/** @throws InputError if there is no distribution of that name; the hint lists those that there are. */
export function distribution(name: string): Distribution {
  const found = distributions.find((one) => one.name === name);
  if (found) return found;
  throw new InputError(`unknown distribution '${name}'`, {
    hint: `use one of ${distributions.map((one) => one.name).join(", ")}`,
  });
}

/** `count` keys of a type and a distribution. */
export function generateKeys(kind: Distribution, type: ElementType, count: number, seed: number): KeyArray {
  const keys = new type.array(count);
  kind.fill(keys, type, 0, count, seed);
  return keys;
}

/** Distinct keys of "few", and at most of "zipf". */
const FEW = 16;
const ZIPF_RANKS = 2 ** 20;

/** One key in so many of "nearly-sorted" is out of its place. */
const NEARLY = 100;

/**
 * All of them. The entropies are bits of information a bit of key, of words that are the AND of 2, 3, 4 and 5
 * uniform ones (K. Thearling and S. Smith, "An improved supercomputer sorting benchmark", 1992), which is how CUB's
 * benchmarks name them too.
 */
export const distributions: readonly Distribution[] = [
  bitwise("uniform", "every bit pattern alike; of f32 one key in 256 is a NaN", 1),
  ranked("sorted", "ascending, spread over all values but NaNs", (seed) => ascending(stream(seed, 0))),
  ranked("reversed", "the sorted keys backwards", (seed, count) => {
    const at = ascending(stream(seed, 0));
    return (index) => at(count - 1 - index, count);
  }),
  ranked("nearly-sorted", `sorted, but for one key in ${NEARLY} at a random place`, (seed) => {
    const [at, choose, place] = [ascending(stream(seed, 0)), stream(seed, 1), stream(seed, 2)];
    return (index, count) =>
      at(choose(index) % NEARLY === 0 ? Math.floor(randomRank(place, index) * count) : index, count);
  }),
  ranked("constant", "one key", (seed) => {
    const value = randomRank(stream(seed, 0), 0);
    return () => value;
  }),
  ranked("few", `${FEW} keys, equally often`, (seed) => {
    const [value, choose] = [stream(seed, 0), stream(seed, 1)];
    return (index) => randomRank(value, choose(index) % FEW);
  }),
  ranked("zipf", "2^20 keys, the r-th most frequent 1/r as often as the first", (seed) => {
    const [value, rank] = [stream(seed, 0), zipfRank(stream(seed, 1), ZIPF_RANKS)];
    return (index) => randomRank(value, rank(index));
  }),
  bitwise("entropy-0.811", "a quarter of the bits set", 2),
  bitwise("entropy-0.544", "an eighth", 3),
  bitwise("entropy-0.337", "a sixteenth", 4),
  bitwise("entropy-0.201", "a thirty-second", 5),
];

/** Keys whose bits are those of random words: the AND of `factors` of them. */
function bitwise(name: string, summary: string, factors: number): Distribution {
  return {
    name,
    summary,
    fill: (into, type, start, _count, seed) => {
      const [first, ...rest] = Array.from({ length: factors }, (_, i) => stream(seed, i)) as [
        Stream,
        ...Stream[],
      ];
      const bits = bitsOf(into, type);
      const offset = start * Math.max(1, type.bytes / 4);
      for (let i = 0; i < bits.length; i++) {
        let word = first(offset + i);
        for (const words of rest) word &= words(offset + i);
        bits[i] = word;
      }
    },
  };
}

/** Where a key stands among all values of its type, from 0 to below 1. */
type Rank = (index: number, count: number) => number;

/** Keys by their rank. */
function ranked(name: string, summary: string, rankOf: (seed: number, count: number) => Rank): Distribution {
  return {
    name,
    summary,
    fill: (into, type, start, count, seed) => {
      const rank = rankOf(seed, count);
      const { least, range, mask } = imagesOf(type);
      const bits = bitsOf(into, type);
      if (type.bytes < 8) {
        for (let i = 0; i < bits.length; i++) {
          const image = least + Math.floor(rank(start + i, count) * range);
          bits[i] = image ^ mask(image);
        }
        return;
      }
      // A rank has 53 bits: the least 11 are a hash of the others, so that equal ranks stay equal and none overtakes.
      const noise = stream(seed, 3);
      for (let i = 0; i < into.length; i++) {
        const place = rank(start + i, count) * range;
        const whole = Math.floor(place);
        const part = Math.floor((place - whole) * 2 ** 21);
        const [top, rest] = [least + whole, part * 2 ** 11 + (noise(whole ^ part) & 0x7ff)];
        bits[2 * i] = rest ^ (mask(top) === ALL ? ALL : 0);
        bits[2 * i + 1] = top ^ mask(top);
      }
    },
  };
}

/** A rank for each index that ascends with it: a random one in the index's share of all. */
function ascending(words: Stream): Rank {
  return (index, count) => (index + (words(index) >>> 16) / 2 ** 16) / count;
}

/** A rank of 53 random bits. */
function randomRank(words: Stream, index: number): number {
  return (words(2 * index) * 2 ** 21 + (words(2 * index + 1) >>> 11)) / 2 ** 53;
}

const ALL = 0xffffffff;

/**
 * A type's values as unsigned integers in the same order, by their top word or by all of their bits where those are
 * fewer: the least of them, how many there are, and what flips the bits of an image to those of its value.
 */
function imagesOf({ bytes, order }: ElementType): {
  least: number;
  range: number;
  mask: (image: number) => number;
} {
  const bits = Math.min(32, bytes * 8);
  const sign = 2 ** (bits - 1);
  if (order === "unsigned") return { least: 0, range: 2 ** bits, mask: () => 0 };
  if (order === "signed") return { least: 0, range: 2 ** bits, mask: () => sign };
  const infinity = bytes === 4 ? 0x7f800000 : 0x7ff00000; // and NaNs lie beyond
  return { least: sign - infinity, range: 2 * infinity, mask: (image) => (image < sign ? ALL : sign) };
}

/** The keys as unsigned integers of their width, or as pairs of words, least significant first. */
function bitsOf({ buffer, byteOffset, length }: KeyArray, { bytes }: ElementType) {
  if (bytes === 1) return new Uint8Array(buffer, byteOffset, length);
  if (bytes === 2) return new Uint16Array(buffer, byteOffset, length);
  return new Uint32Array(buffer, byteOffset, (length * bytes) / 4);
}
