// Sizes that were measured to be fast on 2 to 16 cores, from 2^12 to 2^26 keys.

/** The widest digit by which all threads together divide a range. */
export const DIGIT_BITS = 10;

/** A range is divided into parts of about 2^13 elements, which fit a core's cache. */
export const PART_BITS = 13;

/** So many calls for each thread even out that some take longer than others. */
export const CALLS_PER_THREAD = 8;

/**
 * The most elements that one thread sorts by itself. The only thread divides them with less effort than all
 * threads together, but in one call, which takes about 25 ms for so many.
 */
export function largestPart(count: number, threads: number): number {
  return threads === 1 ? 2 ** 22 : Math.max(2 ** 14, Math.ceil(count / (4 * threads)));
}

/** Keys that are read and converted at a time: so few that one window is read while another is converted. */
export function windowKeys(count: number): number {
  return Math.min(2 ** 21, Math.max(2 ** 18, count / 4));
}

/** So many bytes of elements and values are sorted before a call returns. Threads do not pay for them. */
export const AT_ONCE_BYTES = 2 ** 19;
