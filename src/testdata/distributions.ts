import type { ElementType, KeyArray } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { keyElement } from "../core/float16.js";
import { nameHint } from "../core/names.js";
import { type Stream, stream, zipfRank } from "./random.js";

/**
 * A kind of input that can be made of any type and piece by piece. A key depends only on its index, the
 * number of keys and the seed. So files larger than memory can be written, and the same call always makes the
 * same keys.
 */
export interface Distribution {
  readonly name: string;
  /** Describes the keys in a few words. */
  readonly summary: string;
  /** True if only floats have such keys. */
  readonly floatsOnly?: boolean;
  /**
   * Fills `into` with the keys from index `start` on, out of `count` keys of the given type.
   *
   * @param seed 0 … 2^32 - 1.
   * @throws InputError if the type has no such keys.
   */
  fill(into: KeyArray, type: ElementType, start: number, count: number, seed: number): void;
}

/**
 * Finds a distribution by its name.
 *
 * @param types the types of the keys to make, as far as they are known.
 * @throws InputError if no distribution has this name (the hint lists all names), or if one of the types has
 * no such keys.
 */
export function distribution(name: string, types: readonly ElementType[] = []): Distribution {
  const distribution = distributions.find((one) => one.name === name);
  if (!distribution) {
    throw new InputError(`unknown distribution '${name}'`, {
      hint: nameHint(
        name,
        distributions.map((one) => one.name),
      ),
    });
  }
  if (distribution.floatsOnly) for (const type of types) requireFloats(name, type);
  return distribution;
}

function requireFloats(name: string, type: ElementType): void {
  if (type.order === "float") return;
  throw new InputError(`${type.name} is not a float type, which distribution '${name}' needs`, {
    hint: "use a float type or another distribution",
    options: ["type", "distribution"],
  });
}

/** Makes `count` keys of a type and a distribution. */
export function generateKeys(kind: Distribution, type: ElementType, count: number, seed: number): KeyArray {
  const keys = new type.array(count);
  kind.fill(keys, type, 0, count, seed);
  return keys;
}

/** The number of distinct keys of "few", and the maximum number of "zipf". */
const FEW = 16;
const ZIPF_RANKS = 2 ** 20;

/** One key in NEARLY is out of place in "nearly-sorted". One key in LACED is a NaN in "nan-laced". */
const NEARLY = 100;
const LACED = 8;

/**
 * All distributions. An entropy in a name is the bits of information per bit of key. Such keys are the AND of
 * 2, 3, 4 or 5 uniform words (K. Thearling and S. Smith, "An improved supercomputer sorting benchmark",
 * 1992). CUB's benchmarks use the same names.
 */
export const distributions: readonly Distribution[] = [
  bitwise(
    "uniform",
    "every bit pattern is equally likely; one f32 key in 256 is a NaN, and one f16 key in 32",
    1,
  ),
  ranked("sorted", "ascending, spread over all values except NaNs", (seed) => ascending(stream(seed, 0))),
  ranked("reversed", "the sorted keys in reverse order", (seed, count) => {
    const at = ascending(stream(seed, 0));
    return (index) => at(count - 1 - index, count);
  }),
  ranked("nearly-sorted", `sorted, except that one key in ${NEARLY} is a copy of a random one`, (seed) => {
    const [at, choose, place] = [ascending(stream(seed, 0)), stream(seed, 1), stream(seed, 2)];
    return (index, count) =>
      at(choose(index) % NEARLY === 0 ? Math.floor(randomRank(place, index) * count) : index, count);
  }),
  ranked("constant", "all keys are equal", (seed) => {
    const value = randomRank(stream(seed, 0), 0);
    return () => value;
  }),
  ranked("few", `${FEW} distinct keys, all equally frequent`, (seed) => {
    const [value, choose] = [stream(seed, 0), stream(seed, 1)];
    // Each key lies in its own sixteenth of the values, so that the keys differ even in a type of 256 values.
    return (index) => {
      const one = choose(index) % FEW;
      return Math.min((one + randomRank(value, one)) / FEW, BELOW_ONE);
    };
  }),
  ranked(
    "zipf",
    "up to 2^20 distinct keys; the r-th most frequent is 1/r as frequent as the first",
    (seed) => {
      const [value, rank] = [stream(seed, 0), zipfRank(stream(seed, 1), ZIPF_RANKS)];
      return (index) => randomRank(value, rank(index));
    },
  ),
  bitwise("entropy-0.811", "a quarter of the bits are set", 2),
  bitwise("entropy-0.544", "an eighth of the bits are set", 3),
  bitwise("entropy-0.337", "a sixteenth of the bits are set", 4),
  bitwise("entropy-0.201", "a thirty-second of the bits are set", 5),
  ranked("half-equal", "every other key is the same one, the others are spread over all values", (seed) => {
    const [value, choose] = [stream(seed, 0), stream(seed, 1)];
    const equal = randomRank(value, 0);
    return (index) => (choose(index) % 2 === 0 ? equal : randomRank(value, index));
  }),
  shared(8),
  shared(16),
  {
    name: "low-byte",
    summary: "only the lowest 8 bits differ",
    fill: (into, type, start, _count, seed) => {
      const bits = bitsOf(into, type);
      const [low, others] = [stream(seed, 0), stream(seed, 1)];
      const words = bits.length / into.length;
      for (let i = 0; i < bits.length; i++) {
        bits[i] = i % words === 0 ? (others(0) & ~0xff) | (low(start + i / words) & 0xff) : others(i % words);
      }
    },
  },
  valued("unit", "floats that are spread evenly from 0 to 1; floats only", (random) => random),
  valued("normal", "floats with a standard normal distribution; floats only", gaussian),
  valued(
    "exponential",
    "floats with an exponential distribution of mean 1; floats only",
    (random) => -Math.log1p(-random),
  ),
  valued("log-normal", "powers of e whose exponents are normal; floats only", (random, other) =>
    Math.exp(gaussian(random, other)),
  ),
  laced(
    ranked(
      "nan-laced",
      `spread over all values, except that one key in ${LACED} is a NaN; floats only`,
      (seed) => {
        const value = stream(seed, 0);
        return (index) => randomRank(value, index);
      },
    ),
  ),
];

/** Keys whose bits are the AND of `factors` random words. */
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

/** A key's position among all values of its type, from 0 to just below 1. */
type Rank = (index: number, count: number) => number;

/** Makes keys from their ranks. */
function ranked(name: string, summary: string, rankOf: (seed: number, count: number) => Rank): Distribution {
  return {
    name,
    summary,
    fill: (into, type, start, count, seed) => {
      const rank = rankOf(seed, count);
      const { least, range, mask } = orderedFormsOf(type);
      const bits = bitsOf(into, type);
      if (type.bytes < 8) {
        for (let i = 0; i < bits.length; i++) {
          const ordered = least + Math.floor(rank(start + i, count) * range);
          bits[i] = ordered ^ mask(ordered);
        }
        return;
      }
      // A rank has 53 bits. The other 11 bits of a key, its lowest, are a hash of them, so that equal ranks
      // make equal keys and the order of ranks is that of the keys.
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

/** Keys that lie in the same part of all values, so that about their topmost bits are equal. */
function shared(bits: number): Distribution {
  const summary = `spread over a 2^${bits}th of all values, so that about their top ${bits} bits are equal`;
  return ranked(`shared-${bits}`, summary, (seed) => {
    const [value, place] = [stream(seed, 0), stream(seed, 1)];
    const part = Math.floor(randomRank(place, 0) * 2 ** bits);
    return (index) => (part + randomRank(value, index)) / 2 ** bits;
  });
}

/** Floats that are made of two random numbers from 0 to below 1. */
function valued(
  name: string,
  summary: string,
  makeFloat: (random: number, other: number) => number,
): Distribution {
  return {
    name,
    summary,
    floatsOnly: true,
    fill: (into, type, start, _count, seed) => {
      requireFloats(name, type);
      const [first, second] = [stream(seed, 0), stream(seed, 1)];
      for (let i = 0; i < into.length; i++) {
        const float = makeFloat(randomRank(first, start + i), randomRank(second, start + i));
        into[i] = keyElement(float, type);
      }
    },
  };
}

/** A number with a standard normal distribution (G. Box and M. Muller, 1958). */
function gaussian(random: number, other: number): number {
  return Math.sqrt(-2 * Math.log1p(-random)) * Math.cos(2 * Math.PI * other);
}

/** Replaces some keys of another distribution by quiet NaNs with random payloads and both signs. */
function laced({ name, summary, fill }: Distribution): Distribution {
  return {
    name,
    summary,
    floatsOnly: true,
    fill: (into, type, start, count, seed) => {
      requireFloats(name, type);
      fill(into, type, start, count, seed);
      const [choose, top, low] = [stream(seed, 1), stream(seed, 2), stream(seed, 4)];
      const bits = bitsOf(into, type);
      const quiet = quietNans[type.bytes]!;
      for (let i = 0; i < into.length; i++) {
        if (choose(start + i) % LACED > 0) continue;
        if (type.bytes === 8) bits[2 * i] = low(start + i);
        bits[type.words * (i + 1) - 1] = top(start + i) | quiet;
      }
    },
  };
}

/** The topmost words of the quiet NaN and of infinity, by the bytes of a float. */
const quietNans: Readonly<Record<number, number>> = { 2: 0x7e00, 4: 0x7fc00000, 8: 0x7ff80000 };
const infinities: Readonly<Record<number, number>> = { 2: 0x7c00, 4: 0x7f800000, 8: 0x7ff00000 };

/** Ranks that ascend with the index. Each is random within the index's share of all ranks. */
function ascending(words: Stream): Rank {
  return (index, count) => Math.min((index + (words(index) >>> 16) / 2 ** 16) / count, BELOW_ONE);
}

/** A rank of 53 random bits. */
function randomRank(words: Stream, index: number): number {
  return (words(2 * index) * 2 ** 21 + (words(2 * index + 1) >>> 11)) / 2 ** 53;
}

const ALL = 0xffffffff;
/** The greatest rank. Rounding must not reach 1, which is beyond the greatest value. */
const BELOW_ONE = 1 - 2 ** -53;

/**
 * Describes the ordered forms of a type's values: unsigned integers that are ordered like the values. It
 * gives, for their upper 32 bits, the least one, how many there are, and the bits to flip to turn one into
 * its value.
 */
function orderedFormsOf({ bytes, order }: ElementType): {
  least: number;
  range: number;
  mask: (ordered: number) => number;
} {
  const bits = Math.min(32, bytes * 8);
  const sign = 2 ** (bits - 1);
  if (order === "unsigned") return { least: 0, range: 2 ** bits, mask: () => 0 };
  if (order === "signed") return { least: 0, range: 2 ** bits, mask: () => sign };
  const infinity = infinities[bytes]!; // NaNs lie beyond it
  return { least: sign - infinity, range: 2 * infinity, mask: (ordered) => (ordered < sign ? ALL : sign) };
}

/** The keys as unsigned integers of their width, or as pairs of words, least significant first. */
function bitsOf({ buffer, byteOffset, length }: KeyArray, { bytes }: ElementType) {
  if (bytes === 1) return new Uint8Array(buffer, byteOffset, length);
  if (bytes === 2) return new Uint16Array(buffer, byteOffset, length);
  return new Uint32Array(buffer, byteOffset, (length * bytes) / 4);
}
