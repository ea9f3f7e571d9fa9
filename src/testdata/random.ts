/** A random word for every index. It has no state, so keys can be made without the keys before them. */
export type Stream = (index: number) => number;

/**
 * Makes a stream of independent 32-bit words for indices below 2^53. The same seed and stream number give the
 * same words. A word is two rounds of the hash lowbias32 (C. Wellons, "Prospecting for hash functions",
 * 2018), and the second round uses the index again as its key. A single round would be a permutation, in
 * which no word occurs twice.
 */
export function stream(seed: number, number: number): Stream {
  const first = hash32(hash32(seed) ^ Math.imul(number, GOLDEN));
  const second = hash32(first ^ GOLDEN);
  return (index) => {
    const high = Math.imul(Math.floor(index / 2 ** 32), 0x85ebca6b);
    return hash32(hash32(index ^ first ^ high) ^ Math.imul(index ^ second, GOLDEN));
  };
}

const GOLDEN = 0x9e3779b1;

function hash32(value: number): number {
  let x = value ^ (value >>> 16);
  x = Math.imul(x, 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/**
 * Random ranks from 1 to `maxRank`. Rank r has a probability proportional to 1/r, which is exactly Zipf's law
 * with exponent 1. The method is rejection-inversion (W. Hörmann and G. Derflinger, "Rejection-inversion to
 * generate variates from monotone discrete distributions", 1996), which takes 1.1 words per rank on average.
 */
export function zipfRank(words: Stream, maxRank: number): Stream {
  const top = Math.log(maxRank + 0.5);
  const bottom = Math.log(1.5) - 1;
  const sure = 2 - 2.5 / Math.exp(0.5);
  return (index) => {
    for (let attempt = 0; ; attempt++) {
      const u = top + (words(index + attempt * 2 ** 45) / 2 ** 32) * (bottom - top);
      const x = Math.exp(u);
      const rank = Math.min(maxRank, Math.max(1, Math.round(x)));
      if (rank - x <= sure || u >= Math.log(rank + 0.5) - 1 / rank) return rank;
    }
  };
}
