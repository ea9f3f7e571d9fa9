// When a GPU selects the first keys instead of sorting all of them.

/** From so many keys on: fewer are sorted in less time than the CPU takes to read back a count. */
export const LEAST_KEYS = 2 ** 22;

/** The first keys are fewer than all keys by this factor or more. */
export const LEAST_RATIO = 16;

/** The most keys that are sorted after a selection. They take a fraction of a millisecond. */
export const MOST_CANDIDATES = 2 ** 21;
