import fc from "fast-check";

/**
 * Property tests take other cases each time, and print the seed of one that failed. With GPUSORT_SEED they take
 * the same ones.
 */
const seed = process.env.GPUSORT_SEED;
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
