import { SAMPLE_PLACES } from "../tuning.js";
import { BUCKET_COUNT_AT, BUCKET_ENDS_AT, PREFIX_BITS, type SpreadPlaces } from "../workspace.js";
import type { Steps } from "./steps.js";
import type { PlannedWork } from "./work.js";

/** Digits divide elements evenly enough if none has as many times the mean. */
const SKEW = 8;

/**
 * Where keys grow along a file, all that a sample has of one place may have one digit, and of the next place,
 * too.
 */
const SHARE_OF_TWO_PLACES = 2 / SAMPLE_PLACES;

/** The bits of a digit: from `shift` to `end` - 1. `begin` is the lowest bit that decides the order. */
interface Digit {
  readonly begin: number;
  readonly shift: number;
  readonly end: number;
}

/**
 * Buckets of adjacent values that have about as many elements each, where some digits would have far more than
 * others: of floats, which differ in few exponents, and of clusters. A sample says where they begin, as in
 * W. Frazer and A. McKellar, "Samplesort", JACM 1970.
 */
export interface BucketTable {
  /** The lowest bit of the prefixes. */
  readonly shift: number;
  /** The bit above which the elements of each bucket are equal. */
  readonly ends: Uint8Array;
}

/**
 * Makes a table of buckets in the memory that the kernels work in.
 *
 * @param sampled the elements of the sample, in the scratch.
 * @returns undefined if the digit divides them evenly enough, or if they differ in too few bits.
 */
export function* bucketTable(
  { form, memory, at }: PlannedWork,
  { buckets }: SpreadPlaces,
  sampled: number,
  { begin, shift, end }: Digit,
): Steps<BucketTable | undefined> {
  const lowest = end - PREFIX_BITS;
  if (lowest < begin) return undefined;
  const most = Math.ceil(sampled * Math.max(SKEW / 2 ** (end - shift), SHARE_OF_TWO_PLACES));
  const call = [at.scratch, sampled, form.bytes, lowest, end - shift, most, buckets];
  yield { phase: "convert", kernel: "make_buckets", calls: [call], isShort: true };
  const [count] = new Uint32Array(memory.buffer, buckets + BUCKET_COUNT_AT, 1);
  if (count === 0) return undefined;
  return { shift: lowest, ends: new Uint8Array(memory.buffer, buckets + BUCKET_ENDS_AT, count).slice() };
}
