/** A random word for every index: no state, so that a part of the keys can be made without those before it. */
export type Stream = (index: number) => number;

/**
 * Independent 32-bit words by index, for indices below 2^53, the same for the same seed and stream number: two
 * rounds of the hash lowbias32 (C. Wellons, "Prospecting for hash functions", 2018), the second keyed by the index
 * again. One round would be a permutation, in which no word ever comes twice.
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
 * Ranks from 1 to `most`, rank r with a probability in proportion to 1/r: Zipf's law with exponent 1, exactly, by
 * rejection-inversion (W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates from monotone discrete
 * distributions", 1996), which takes 1.1 words a rank on average.
 */
export function zipfRank(words: Stream, most: number): Stream {
  const top = Math.log(most + 0.5);
  const bottom = Math.log(1.5) - 1;
  const sure = 2 - 2.5 / Math.exp(0.5);
  return (index) => {
    for (let attempt = 0; ; attempt++) {
      const u = top + (words(index + attempt * 2 ** 45) / 2 ** 32) * (bottom - top);
      const x = Math.exp(u);
      const rank = Math.min(most, Math.max(1, Math.round(x)));
      if (rank - x <= sure || u >= Math.log(rank + 0.5) - 1 / rank) return rank;
    }
  };
}
