// Sizes that were measured to be fast on 2 to 16 cores, from 2^12 to 2^26 keys.

/** The widest digit by which all threads together divide a range. */
export const DIGIT_BITS = 10;

/** A range is divided into parts of about 2^13 elements, which fit a core's cache. */
export const PART_BITS = 13;

/** Calls for each thread: enough to even out that some take longer than others. */
export const CALLS_PER_THREAD = 8;

/**
 * The most elements that one thread sorts by itself. The only thread divides them with less effort than all
 * threads together, but in one call, which takes about 25 ms for that number.
 */
export function largestPart(count: number, threads: number): number {
  return threads === 1 ? 2 ** 22 : Math.max(2 ** 14, Math.ceil(count / (4 * threads)));
}

/**
 * Keys that are read and converted at a time: so few that one window is read while another is converted, and
 * that one or two threads find them in their cache.
 */
export function windowKeys(count: number, threads: number): number {
  return Math.min(2 ** 21, Math.max(2 ** 18, Math.min(2 ** 17 * threads, count / 4)));
}

/**
 * Bytes of elements that are sorted at a time where they are written before others take their place: enough
 * that threads seldom wait for each other.
 */
export const roundBytes = (threads: number): number => threads * 2 ** 22;

/** The calls for each thread that sort them. */
export const CALLS_PER_ROUND = 8;

/** The most bytes of elements and values that are sorted before a call returns. Threads do not pay for them. */
export const SYNC_BYTES = 2 ** 19;

/**
 * The threads to use while the calling thread copies, of those that pay. With 16 cores, 15 are faster.
 */
export const besideCopies = (threads: number): number => (threads > 8 ? threads - 1 : threads);

/** The most bits of the digit by which elements are divided while others are read. */
export const MOST_SPREAD_BITS = 11;

/** Bits of the digit by which elements are divided while others are read; 0 where that does not pay. */
export function spreadBits(bytes: number, threads: number): number {
  if (bytes < (threads === 1 ? 2 ** 24 : 2 ** 22)) return 0;
  return bytes > 2 ** 26 ? MOST_SPREAD_BITS : 10;
}

/** The most keys of a sample. Kernels count them in 16 bits. */
export const SAMPLE_KEYS = 2 ** 14;

/**
 * The places, at equal distances, from which the keys of a sample come: enough to show how keys grow along a
 * file, and few enough that a disk reads them in little time.
 */
export const SAMPLE_PLACES = 64;

/**
 * Elements that one call divides while others are read: so few that they and as much scratch fit a core's
 * cache.
 */
export const PIECE_BYTES = 2 ** 19;

/**
 * The buffer in which a thread sorts the elements of one digit holds many times the average.
 */
export function spreadBufferBytes(bytes: number, bits: number): number {
  return 2 ** Math.min(20, Math.max(17, Math.ceil(Math.log2(bytes) - bits + 4)));
}
