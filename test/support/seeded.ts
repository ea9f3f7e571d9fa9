/**
 * Property tests take other cases each time, and print the seed of one that failed. With GPUSORT_SEED they take
 * the same ones. Most files have no property tests, so what runs them is loaded only then.
 */
const seed = process.env.GPUSORT_SEED;
if (seed !== undefined) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(seed) });
}
