/**
 * The maximum number of keys of an enumeration sort. It makes n * n comparisons, so for more keys SwiftShader
 * is several times as fast with other kernels, once it has compiled these, which takes seconds.
 */
export const MOST_ENUMERATED = 2 ** 10;
