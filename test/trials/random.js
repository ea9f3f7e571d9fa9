/** @typedef {ReturnType<typeof randomNumbers>} Random */

/**
 * Random numbers that a seed reproduces, by mulberry32. gpusort's own generator is not used here.
 *
 * @param {number} seed
 */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  const u32 = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const unit = () => u32() / 2 ** 32;
  /** @param {number} n */
  const below = (n) => Math.floor(unit() * n);
  return {
    u32,
    /** From 0 to 1, without 1. */
    unit,
    /** A whole number from 0 to n - 1. */
    below,
    /** @param {number} share */
    chance: (share) => unit() < share,
    /**
     * @template T
     * @param {readonly T[]} values
     * @returns {T}
     */
    pick: (values) => values[below(values.length)],
  };
}

/**
 * The seed of a part of a seeded run.
 *
 * @param {number} seed
 * @param {number} part
 */
export const seedOf = (seed, part) => (Math.imul(seed, 0x9e3779b1) ^ Math.imul(part + 1, 0x85ebca6b)) >>> 0;
